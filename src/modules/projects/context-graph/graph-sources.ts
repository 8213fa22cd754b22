import { projectEntities } from '../projects/projects.types.js';
import type { Centre, GraphScope, NodeKind } from './context-graph.types.js';

/** Adds a value to a statement's parameters and says how it is written there. */
export type Add = (value: unknown) => string;

/** Where the nodes of a kind come from. */
export interface GraphSource {
  kind: NodeKind;
  /** Kinds before it, or its own, of which nodes can be linked to one of these. */
  linkedTo: readonly NodeKind[];
  /**
   * A statement that gives `key`, `label`, `ref` and `edges`, a JSON array of [kind, from, to] of nodes.
   * @param add for the tenant and what the scope says
   */
  select: (scope: GraphScope, tenantId: string, add: Add) => string;
  /** The columns that the nodes are sorted by, with their types, where it is not `key`. */
  order?: { columns: readonly string[]; of: (key: string) => readonly string[] };
  /** A condition for the nodes that are linked to one, where that need not be looked for in their edges. */
  around?: (centre: Pick<Centre, 'kind' | 'key'>, tenantId: string, add: Add) => string;
}

const MAX_LABEL = 200;
const label = (text: string): string => `left(${text}, ${MAX_LABEL})`;
const edge = (kind: string, from: string, to: string): string => `jsonb_build_array('${kind}', ${from}, ${to})`;

/** The one that a link belongs to, of a row x whose plane_id is '' or null for the project itself. */
const owner = (project: string): string =>
  `case coalesce(x.plane_id, '') when '' then 'project:' || ${project} else 'plane:' || ${project} || '/' || x.plane_id end`;
const ofLivePlane = (tenant: string, project: string): string =>
  `(coalesce(x.plane_id, '') = '' or exists (select from plane p where p.tenant_id = ${tenant} and p.project_id = ${project} and p.plane_id = x.plane_id and p.deleted_at is null))`;

/** Of nodes with a column passport that the project has all of. */
const ofProjectOrPassport = ({ kind, key }: Pick<Centre, 'kind' | 'key'>, add: Add): string =>
  kind === 'project' ? 'true' : `n.passport = ${add(key)}`;

const PROJECT: GraphSource = {
  kind: 'project',
  linkedTo: [],
  select: ({ projectId }, tenantId, add) =>
    `select p.project_id as key, ${label('p.name')} as label, p.project_id as ref, '[]'::jsonb as edges
     from project p where p.tenant_id = ${add(tenantId)} and p.project_id = ${add(projectId)}`,
};

const PLANES: GraphSource = {
  kind: 'plane',
  linkedTo: ['project'],
  select: ({ projectId }, tenantId, add) => {
    const project = `${add(projectId)}::text`;
    return `select ${project} || '/' || p.plane_id as key, ${label('p.name')} as label, p.plane_id as ref,
       jsonb_build_array(${edge('has_plane', `'project:' || ${project}`, `'plane:' || ${project} || '/' || p.plane_id`)}) as edges
     from plane p where p.tenant_id = ${add(tenantId)} and p.project_id = ${project} and p.deleted_at is null`;
  },
};

const TENANTS: GraphSource = {
  kind: 'tenant',
  linkedTo: ['project', 'plane'],
  select: ({ projectId }, tenantId, add) => {
    const [tenant, project] = [add(tenantId), `${add(projectId)}::text`];
    return `select x.linked_tenant_id as key, x.linked_tenant_id as label, x.linked_tenant_id as ref,
       jsonb_agg(${edge('works_in', owner(project), `'tenant:' || x.linked_tenant_id`)}) as edges
     from project_tenant x where x.tenant_id = ${tenant} and x.project_id = ${project} and ${ofLivePlane(tenant, project)}
     group by x.linked_tenant_id`;
  },
};

const REPOS: GraphSource = {
  kind: 'repo',
  linkedTo: ['project', 'plane'],
  select: ({ projectId }, tenantId, add) => {
    const [tenant, project] = [add(tenantId), `${add(projectId)}::text`];
    return `select x.repo as key, x.repo as label, x.repo as ref, jsonb_build_array(${edge('has_repo', owner(project), `'repo:' || x.repo`)}) as edges
     from project_repo x where x.tenant_id = ${tenant} and x.project_id = ${project} and ${ofLivePlane(tenant, project)}`;
  },
};

const PASSPORTS: GraphSource = {
  kind: 'passport',
  linkedTo: ['project', 'plane'],
  select: ({ projectId }, tenantId, add) => {
    const [tenant, project] = [add(tenantId), `${add(projectId)}::text`];
    const own = `x.tenant_id = ${tenant} and x.project_id = ${project}`;
    return `select m.passport as key, m.passport as label, m.passport as ref,
       coalesce(jsonb_agg(jsonb_build_array(m.kind, m.owner, 'passport:' || m.passport)) filter (where m.kind is not null), '[]') as edges
     from (
       select x.default_passport_id as passport, 'default_passport' as kind, 'project:' || ${project} as owner from project x where ${own}
       union all
       select x.default_passport_id, 'default_passport', 'plane:' || ${project} || '/' || x.plane_id from plane x where ${own} and x.deleted_at is null
       union all
       select x.passport_id, 'has_member', ${owner(project)} from project_passport x where ${own} and ${ofLivePlane(tenant, project)}
       union all
       select distinct x.assignee_passport, null, null from work_item x where ${own}
       union all
       select distinct x.by_passport, null, null from coord_intent x where ${own} and x.expires_at > statement_timestamp()) m
     where m.passport is not null group by m.passport`;
  },
};

/** Current facts of entities between two names that the reader sees: `h` is the head, `f` the fact. */
const facts = ({ principal, seesAll }: GraphScope, tenant: string, names: string, add: Add): string =>
  `from fact_head h join fact f on f.tenant_id = ${tenant} and f.seq = h.seq
   where h.tenant_id = ${tenant} and h.records > 0 and ${names} and (h.visibility = 0 or h.owner = ${add(principal)} or ${add(seesAll)}::boolean)
     and f.deleted_at is null and not f.tombstone and not f.quarantined`;

const LAYERS: GraphSource = {
  kind: 'layer',
  linkedTo: ['project', 'plane'],
  select: (scope, tenantId, add) => {
    const [tenant, project] = [add(tenantId), `${add(scope.projectId)}::text`];
    // '0' is the character after the slash.
    const names = `h.entity_start >= 'layer:' || ${project} and h.entity_start < 'layer:' || ${project} || '0'
      and (h.entity = 'layer:' || ${project} or starts_with(h.entity, 'layer:' || ${project} || '/'))`;
    return `select substr(x.entity, 7) || ':' || x.key as key, ${label('x.key')} as label, x.ref,
       jsonb_build_array(${edge('has_layer', owner(project), `'layer:' || substr(x.entity, 7) || ':' || x.key`)}) as edges
     from (select f.entity, f.key, f.fact_id::text as ref, split_part(f.entity, '/', 2) as plane_id ${facts(scope, tenant, names, add)}) x
     where ${ofLivePlane(tenant, project)}`;
  },
};

const WORK: GraphSource = {
  kind: 'work',
  linkedTo: ['project', 'passport', 'work'],
  select: ({ projectId }, tenantId, add) => {
    const [tenant, project] = [add(tenantId), `${add(projectId)}::text`];
    return `select w.work_id as key, ${label('w.title')} as label, w.work_id as ref, w.assignee_passport as passport,
       jsonb_build_array(${edge('has_work', `'project:' || ${project}`, `'work:' || w.work_id`)})
       || case when w.assignee_passport is null then '[]' else
            jsonb_build_array(${edge('assigned_to', `'work:' || w.work_id`, `'passport:' || w.assignee_passport`)}) end
       || coalesce((select jsonb_agg(${edge('blocked_by', `'work:' || b.work_id`, `'work:' || b.blocker_id`)})
            from (select b.work_id, b.blocker_id, b.blocker_id as other from work_blocker b
                  where b.tenant_id = ${tenant} and b.work_id = w.work_id and b.blocker_id < w.work_id
                  union all
                  select b.work_id, b.blocker_id, b.work_id from work_blocker b
                  where b.tenant_id = ${tenant} and b.blocker_id = w.work_id and b.work_id < w.work_id) b
            where (select o.project_id from work_item o where o.tenant_id = ${tenant} and o.work_id = b.other) = ${project}), '[]') as edges
     from work_item w where w.tenant_id = ${tenant} and w.project_id = ${project}`;
  },
  around: ({ kind, key }, tenantId, add) => {
    if (kind !== 'work') return ofProjectOrPassport({ kind, key }, add);
    const [tenant, blocked] = [add(tenantId), `${add(key)}::text`];
    return `n.key in (select b.work_id from work_blocker b where b.tenant_id = ${tenant} and b.blocker_id = ${blocked}
      union all select b.blocker_id from work_blocker b where b.tenant_id = ${tenant} and b.work_id = ${blocked})`;
  },
};

const INTENTS: GraphSource = {
  kind: 'intent',
  linkedTo: ['project', 'passport'],
  select: ({ projectId }, tenantId, add) => {
    const [tenant, project] = [add(tenantId), `${add(projectId)}::text`];
    return `select i.intent_id::text as key, ${label(`coalesce(i.note, i.execplan_slug, i.milestone, i.paths[1], i.session_id)`)} as label, i.session_id as ref, i.by_passport as passport,
       jsonb_build_array(${edge('has_intent', `'project:' || ${project}`, `'intent:' || i.intent_id`)})
       || case when i.by_passport is null then '[]' else
            jsonb_build_array(${edge('announced_by', `'intent:' || i.intent_id`, `'passport:' || i.by_passport`)}) end as edges
     from coord_intent i where i.tenant_id = ${tenant} and i.project_id = ${project} and i.expires_at > statement_timestamp()`;
  },
  around: (centre, _tenantId, add) => ofProjectOrPassport(centre, add),
};

const FACTS: GraphSource = {
  kind: 'fact',
  linkedTo: ['project'],
  select: (scope, tenantId, add) => {
    const { entity, prefixes } = projectEntities(scope.projectId);
    const [tenant, name] = [add(tenantId), `${add(entity)}::text`];
    // ';' is the character after the colon, which is the one after the slash.
    const names = `h.entity_start >= ${name} and h.entity_start < ${name} || ';'
      and (h.entity = ${name} or ${prefixes.map((prefix) => `starts_with(h.entity, ${add(prefix)})`).join(' or ')})`;
    return `select f.fact_id::text as key, ${label(`f.entity || ' ' || f.key`)} as label, f.fact_id::text as ref,
       jsonb_build_array(${edge('has_fact', name, `'fact:' || f.fact_id`)}) as edges ${facts(scope, tenant, names, add)}`;
  },
  around: () => 'true',
};

const FILES: GraphSource = {
  kind: 'file',
  linkedTo: ['project'],
  select: ({ projectId, scanId }, tenantId, add) =>
    `select f.path as key, ${label('f.path')} as label, f.path as ref,
       jsonb_build_array(${edge('has_file', `'project:' || ${add(projectId)}::text`, `'file:' || f.path`)}) as edges
     from workspace_file f where f.tenant_id = ${add(tenantId)} and f.scan_id = ${add(scanId)}`,
  around: () => 'true',
};

/** The key of a symbol is `<path>#<its place in the file>`. */
const SYMBOLS: GraphSource = {
  kind: 'symbol',
  linkedTo: ['file'],
  select: ({ scanId }, tenantId, add) =>
    `select s.path || '#' || s.ordinal as key, ${label(`s.kind || ' ' || s.name`)} as label, s.path || ':' || s.line as ref, s.path, s.ordinal,
       jsonb_build_array(${edge('declares', `'file:' || s.path`, `'symbol:' || s.path || '#' || s.ordinal`)}) as edges
     from workspace_symbol s where s.tenant_id = ${add(tenantId)} and s.scan_id = ${add(scanId)}`,
  order: {
    columns: ['path', 'ordinal'],
    of: (key) => [key.slice(0, key.lastIndexOf('#')), key.slice(key.lastIndexOf('#') + 1)],
  },
  around: ({ key }, _tenantId, add) => `n.path = ${add(key)}`,
};

const BASE = [PROJECT, PLANES, TENANTS, REPOS, PASSPORTS, LAYERS, WORK, INTENTS, FACTS] as const;

/** In the order of NODE_KINDS. */
export const sourcesOf = ({ scanId, withSymbols }: GraphScope): GraphSource[] => [
  ...BASE,
  ...(scanId === undefined ? [] : [FILES, ...(withSymbols ? [SYMBOLS] : [])]),
];
