import { parseDocument } from 'yaml';
import { z } from 'zod';
import { MATURITIES, type Capability } from './capabilities.types.js';
import { PRODUCT } from './declared-capabilities.rules.js';

/** What is wrong with the file, and with which of its members; the file as a whole where none is named. */
export interface CapabilitiesFault {
  member: string;
  message: string;
}

/** What a user says of a capability of the product. */
interface Addition {
  id: string;
  promises: bigint[];
  tests: string[];
}

export interface CapabilitiesContent {
  capabilities: Capability[];
  additions: Addition[];
}

const MAX_CAPABILITIES = 2_000;
const MAX_LIST = 200;
const MAX_TEXT = 300;
const MAX_UINT64 = 2n ** 64n - 1n;
/** The address of the analyses: a capability of that name could not be read. */
const UNREACHABLE = 'analysis';

const ID = 'expected 1 to 128 of letters, digits, ".", "_", ":" and "-", the first a letter or digit';
const NUMBER = 'expected a whole number from 0 to 18446744073709551615';
const id = () => z.string(ID).regex(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/, ID);
const words = () =>
  z
    .string(`expected a text of 1 to ${MAX_TEXT} characters`)
    .min(1, `expected a text of 1 to ${MAX_TEXT} characters`)
    .max(MAX_TEXT, `expected a text of 1 to ${MAX_TEXT} characters`)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'has a character that cannot be stored');
const list = <T extends z.ZodType>(one: T) =>
  z.array(one, 'expected a list').max(MAX_LIST, `expected ${MAX_LIST} items at most`);
const promise = () => z.bigint(NUMBER).min(0n, NUMBER).max(MAX_UINT64, NUMBER);

const entry = z.strictObject(
  {
    id: id().refine((name) => name !== UNREACHABLE, 'is the address of the analyses; choose another id'),
    name: words().optional(),
    system: words().optional(),
    maturity: z.enum(MATURITIES, `expected one of ${MATURITIES.join(', ')}`).optional(),
    promises: list(promise()).optional(),
    routes: list(words()).optional(),
    flags: list(words()).optional(),
    tools: list(words()).optional(),
    tests: list(words()).optional(),
    upstream: list(id()).optional(),
  },
  'expected a capability: id, name, system',
);
type Entry = z.infer<typeof entry>;

const file = z.strictObject(
  {
    capabilities: z
      .array(entry, 'expected a list of capabilities')
      .max(MAX_CAPABILITIES, `expected ${MAX_CAPABILITIES} capabilities at most`),
  },
  'expected `capabilities:` with a list',
);

/**
 * Reads the text of SVCD_CAPABILITIES_FILE, in YAML 1.2. Whole numbers keep all their digits.
 * @param product ids of the product's own capabilities
 */
export function readCapabilities(
  text: string,
  product: ReadonlySet<string>,
): { content: CapabilitiesContent } | { faults: CapabilitiesFault[] } {
  const yaml = parse(text);
  if ('faults' in yaml) return yaml;
  const parsed = file.safeParse(yaml.content);
  if (!parsed.success) return { faults: parsed.error.issues.flatMap(faultsOf) };
  const entries = parsed.data.capabilities;
  const faults = [...entries.flatMap((one, place) => faultsOfEntry(one, place, { entries, product }))];
  if (faults.length === 0) faults.push(...circlesOf(entries));
  if (faults.length > 0) return { faults };
  const additions = entries.filter((one) => product.has(one.id));
  return {
    content: {
      capabilities: entries.filter((one) => !product.has(one.id)).map(capabilityOf),
      additions: additions.map(({ id: own, promises = [], tests = [] }) => ({ id: own, promises, tests })),
    },
  };
}

const capabilityOf = ({ id: own, name, system, maturity = 'experimental', ...lists }: Entry): Capability => ({
  ...{ id: own, name: name!, system: system!, maturity, promises: [], routes: [], flags: [], tools: [], tests: [] },
  upstream: [],
  ...lists,
});

interface Whole {
  entries: readonly Entry[];
  product: ReadonlySet<string>;
}

function faultsOfEntry(one: Entry, place: number, { entries, product }: Whole): CapabilitiesFault[] {
  const at = (member: string, message: string) => ({ member: `capabilities[${place}].${member}`, message });
  const faults: CapabilitiesFault[] = [];
  if (entries.findIndex((other) => other.id === one.id) < place) faults.push(at('id', `${one.id} is there twice`));
  if (product.has(one.id)) return [...faults, ...faultsOfAddition(one, at)];
  if (one.id.startsWith(PRODUCT))
    faults.push(at('id', `begins with ${PRODUCT}, and the product has no capability of that name`));
  if (one.name === undefined) faults.push(at('name', 'is needed'));
  if (one.system === undefined) faults.push(at('system', 'is needed'));
  if (one.system?.startsWith(PRODUCT)) faults.push(at('system', `begins with ${PRODUCT}, which is the product's own`));
  for (const [index, other] of (one.upstream ?? []).entries())
    if (!product.has(other) && !entries.some((known) => known.id === other))
      faults.push(at(`upstream[${index}]`, `${other} is no capability of this file or of the product`));
  return faults;
}

/** The declarations say the rest of it. */
function faultsOfAddition(one: Entry, at: (member: string, message: string) => CapabilitiesFault): CapabilitiesFault[] {
  const taken = ['id', 'promises', 'tests'];
  return Object.keys(one)
    .filter((member) => !taken.includes(member))
    .map((member) => at(member, `is said by the product itself; of ${one.id} give promises and tests alone`));
}

/** What rests on itself, by whatever way: named at one entry of the circle. */
function circlesOf(entries: readonly Entry[]): CapabilitiesFault[] {
  const upstream = new Map(entries.map((one) => [one.id, one.upstream ?? []]));
  const done = new Set<string>();
  for (const [place, { id: start }] of entries.entries()) {
    const way = circleFrom(start, upstream, done);
    if (way) return [{ member: `capabilities[${place}].upstream`, message: `leads in a circle: ${way.join(' > ')}` }];
  }
  return [];
}

function circleFrom(start: string, upstream: ReadonlyMap<string, string[]>, done: Set<string>): string[] | undefined {
  const way: { id: string; next: number }[] = [{ id: start, next: 0 }];
  while (way.length > 0) {
    const last = way.at(-1)!;
    const other = upstream.get(last.id)?.[last.next++];
    if (other === undefined) {
      done.add(last.id);
      way.pop();
      continue;
    }
    const from = way.findIndex((one) => one.id === other);
    if (from >= 0) return [...way.slice(from).map((one) => one.id), other];
    if (!done.has(other)) way.push({ id: other, next: 0 });
  }
  return undefined;
}

/** One for each member that is unknown. */
function faultsOf(issue: z.core.$ZodIssue): CapabilitiesFault[] {
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ member: nameOf([...issue.path, key]), message: 'is no member here' }));
  return [{ member: nameOf(issue.path), message: issue.message }];
}

function parse(text: string): { content: unknown } | { faults: CapabilitiesFault[] } {
  try {
    const document = parseDocument(text, { intAsBigInt: true });
    const errors = document.errors.map(({ message }) => ({ member: '', message: message.split('\n')[0]! }));
    return errors.length > 0 ? { faults: errors } : { content: document.toJS() as unknown };
  } catch (error) {
    // Aliases that lead nowhere, or multiply.
    return { faults: [{ member: '', message: (error as Error).message }] };
  }
}

/** `capabilities[2].promises[0]` */
const nameOf = (path: PropertyKey[]): string =>
  path.reduce<string>(
    (name, part) => (typeof part === 'number' ? `${name}[${part}]` : `${name}${name && '.'}${String(part)}`),
    '',
  );
