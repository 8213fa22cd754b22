import type { DeclaredModule, DeclaredSystem } from '../../../common/contract/declared-systems.js';
import type { RouteRecord } from '../../../common/contract/contract.js';
import type { Capability } from './capabilities.types.js';

/** What is known of flags, by their names in declarations. */
export interface FlagKnowledge {
  variableOf: (flag: NonNullable<RouteRecord['flag']>) => string;
  isOnByDefault: (flag: NonNullable<RouteRecord['flag']>) => boolean;
}

/** What an id of the product begins with; ids of a user's own systems do not. */
export const PRODUCT = 'svc-';

export const idOf = (system: string, tag: string): string => `${system}.${tag.replaceAll(' ', '-')}`;

/**
 * What the product can do: the routes of one app under one tag are one capability. It rests on the capabilities whose
 * modules its own import, and where it serves tools, on those that the tools call.
 */
export function capabilitiesOf(
  systems: readonly DeclaredSystem[],
  flags: FlagKnowledge,
  testsOf: (id: string) => readonly string[] = () => [],
): Capability[] {
  const byAddress = new Map(systems.flatMap((one) => addressesOf(one)));
  return systems.flatMap((system) =>
    tagsOf(system.modules).map((tag) => {
      const id = idOf(system.name, tag);
      const routes = system.modules.flatMap((module) => module.routes.filter((route) => route.tag === tag));
      const called = tag === TOOLS_TAG ? system.tools.flatMap((tool) => tool.routes) : [];
      const upstream = [...importedTags(system.modules, tag).map((one) => idOf(system.name, one))];
      upstream.push(...called.flatMap((address) => byAddress.get(address) ?? []));
      return {
        ...{ id, name: nameOf(tag), system: system.name, maturity: maturityOf(routes, flags), promises: [] },
        routes: routes.map((route) => route.address).sort(),
        flags: sorted(routes.flatMap(({ flag }) => (flag === undefined ? [] : [flags.variableOf(flag)]))),
        tools: sorted(systems.flatMap((one) => toolsAt(one, system, routes))),
        tests: testsOf(id),
        upstream: sorted(upstream.filter((other) => other !== id)),
      };
    }),
  );
}

/** The tag of what serves the tools themselves. */
const TOOLS_TAG = 'tools';

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
const nameOf = (tag: string): string => tag.charAt(0).toUpperCase() + tag.slice(1);
const tagsOf = (modules: readonly DeclaredModule[]): string[] =>
  sorted(modules.flatMap(({ routes }) => routes.map(({ tag }) => tag)));

/**
 * Each address with the capability it belongs to. Where two apps serve the same, the first one's tools mean its own.
 */
const addressesOf = ({ name, modules }: DeclaredSystem): [string, string][] =>
  modules.flatMap(({ routes }) => routes.map(({ address, tag }): [string, string] => [address, idOf(name, tag)]));

/** Tools call routes of their own app; an app that has none of a tool's routes calls those of another. */
function toolsAt(holder: DeclaredSystem, system: DeclaredSystem, routes: readonly RouteRecord[]): string[] {
  const own = new Set(addressesOf(holder).map(([address]) => address));
  const served = new Set<string>(routes.map(({ address }) => address));
  return holder.tools
    .filter((tool) => holder === system || !tool.routes.some((address) => own.has(address)))
    .filter((tool) => tool.routes.some((address) => served.has(address)))
    .map(({ name }) => name);
}

/** A plane that has to be switched on is not for everybody yet. */
function maturityOf(routes: readonly RouteRecord[], { isOnByDefault }: FlagKnowledge): Capability['maturity'] {
  return routes.every(({ flag }) => flag !== undefined && !isOnByDefault(flag)) ? 'beta' : 'stable';
}

/** The tags of the modules that those with this tag import, also through modules without routes. */
function importedTags(modules: readonly DeclaredModule[], tag: string): string[] {
  const byName = new Map(modules.map((module) => [module.name, module]));
  const found = new Set<string>();
  const seen = new Set<string>();
  const waiting = modules.filter(({ routes }) => routes.some((route) => route.tag === tag)).flatMap((m) => m.imports);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const module = byName.get(name);
    if (!module || seen.has(name)) continue;
    seen.add(name);
    if (module.routes.length === 0) waiting.push(...module.imports);
    for (const route of module.routes) found.add(route.tag);
  }
  return [...found];
}
