import { Injectable } from '@nestjs/common';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import type { Centre, EdgeKind, GraphScope, NodeWithEdges } from './context-graph.types.js';
import { isSymbolKey } from './context-graph.rules.js';
import type { Add, GraphSource } from './graph-sources.js';

interface Found {
  key: string;
  label: string;
  ref: string;
  edges: [EdgeKind, string, string][];
}

/** Nodes of one kind, of the open unit of work's tenant. */
@Injectable()
export class ContextGraphStore {
  constructor(private readonly tenancy: Tenancy) {}

  /**
   * In their order, from the one after a key on.
   * @param centre only it and those that are linked to it
   */
  list(
    source: GraphSource,
    scope: GraphScope,
    { after, take, centre }: { after?: string | undefined; take: number; centre?: Centre | undefined },
  ): Promise<NodeWithEdges[]> {
    const values: unknown[] = [];
    const add: Add = (value) => `$${values.push(value)}`;
    const conditions = [
      ...(after === undefined ? [] : [`${placeOf(source)} > ${valuesOf(source, after, add)}`]),
      ...(centre ? [aroundOf(source, centre, this.tenancy.tenant, add)] : []),
    ];
    return this.query(source, scope, { conditions, take, values, add });
  }

  async find(source: GraphSource, scope: GraphScope, key: string): Promise<NodeWithEdges | undefined> {
    if (source.kind === 'symbol' && !isSymbolKey(key)) return undefined;
    const values: unknown[] = [];
    const add: Add = (value) => `$${values.push(value)}`;
    const conditions = [`${placeOf(source)} = ${valuesOf(source, key, add)}`];
    return (await this.query(source, scope, { conditions, take: 1, values, add }))[0];
  }

  private async query(
    source: GraphSource,
    scope: GraphScope,
    { conditions, take, values, add }: { conditions: string[]; take: number; values: unknown[]; add: Add },
  ): Promise<NodeWithEdges[]> {
    const rows = await this.tenancy.query<Found>(
      `select n.key, n.label, n.ref, n.edges from (${source.select(scope, this.tenancy.tenant, add)}) n
       ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`} order by ${columnsOf(source).join(', ')} limit ${add(take)}`,
      values,
    );
    return rows.map(({ edges, ...node }) => ({
      ...{ id: `${source.kind}:${node.key}`, kind: source.kind, ...node },
      edges: edges.map(([kind, from, to]) => ({ kind, from, to })).sort((a, b) => compare(textOf(a), textOf(b))),
    }));
  }
}

const columnsOf = ({ order }: GraphSource): string[] =>
  order ? order.columns.map((column) => `n.${column}`) : [`n.key collate "C"`];
const placeOf = (source: GraphSource): string => `(${columnsOf(source).join(', ')})`;
const valuesOf = ({ order }: GraphSource, key: string, add: Add): string =>
  order
    ? `(${order
        .of(key)
        .map((part) => add(part))
        .join(', ')})`
    : `(${add(key)}::text)`;

/** Itself, those that it names, and those that name it. */
function aroundOf(source: GraphSource, centre: Centre, tenantId: string, add: Add): string {
  const keys = [centre.id, ...centre.linked].flatMap((id) =>
    id.startsWith(`${source.kind}:`) ? [id.slice(source.kind.length + 1)] : [],
  );
  const known = source.order
    ? keys.map((key) => `${placeOf(source)} = ${valuesOf(source, key, add)}`)
    : [`n.key = any(${add(keys)}::text[])`];
  const naming = source.linkedTo.includes(centre.kind)
    ? [source.around ? source.around(centre, tenantId, add) : byEdges(centre, add)]
    : [];
  return `(${[...known, ...naming].join(' or ') || 'false'})`;
}

function byEdges({ id }: Centre, add: Add): string {
  const named = add(id);
  return `exists (select from jsonb_array_elements(n.edges) e where e ->> 1 = ${named} or e ->> 2 = ${named})`;
}

const textOf = ({ kind, from, to }: { kind: string; from: string; to: string }): string => `${kind} ${from} ${to}`;
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
