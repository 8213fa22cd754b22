import type { Tool } from '@modelcontextprotocol/server';
import type { RouteRecord } from '../../../common/contract/contract.js';
import type { OfferedTool } from '../../../common/contract/tool-dispatcher.js';
import type { ToolRegistry } from '../../../rpc/tools/tool-registry.js';

/** Key of the scopes of a tool's route in the `_meta` of its definition. */
const SCOPES_META = 'svc/scopes';

type Scopes = OfferedTool['scopes'];
/** By the name of the tool. */
export type ToolScopes = ReadonlyMap<string, Scopes>;

/** The scopes of the routes of the daemon's own tools. @throws Error for a tool whose route is not served */
export function scopesByTool({ tools }: ToolRegistry, routes: readonly RouteRecord[]): ToolScopes {
  const byAddress = new Map(routes.map((route) => [route.address, route.access]));
  return new Map(
    tools.map(({ definition: { name }, route }) => {
      const access = byAddress.get(route);
      if (access?.kind !== 'scopes') throw new Error(`The tool ${name} has no route ${route} with scopes`);
      return [name, { kind: access.rule, scopes: access.scopes }];
    }),
  );
}

/** The definition as it is listed; of a tool of the tenant API no scopes are known. */
export const withScopes = (tool: Tool, scopes: Scopes | undefined): Tool =>
  scopes ? { ...tool, _meta: { ...tool._meta, [SCOPES_META]: scopes } } : tool;
