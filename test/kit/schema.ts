import type { Client } from 'pg';

/** Schemas whose objects are ours: the queue of jobs makes and migrates its own. */
const OURS = "n.nspname = 'public'";

const COLUMNS = `
  select c.oid, c.relname as name, format('  %I %s%s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
    coalesce((select format(' collate %I', o.collname) from pg_collation o join pg_type t on t.oid = a.atttypid
      where o.oid = a.attcollation and a.attcollation <> t.typcollation), ''),
    case when a.attnotnull then ' not null' else '' end,
    case a.attgenerated when '' then coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
      else ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored' end) as line
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relkind in ('r', 'p') and ${OURS} order by c.relname, a.attnum`;

const CONSTRAINTS = `
  select c.relname as name, format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)) as line
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
  where ${OURS} and k.contype <> 'n' order by c.relname, k.contype desc, k.conname`;

/** What stands below a table, one statement each. */
const STATEMENTS = `
  select c.relname as name, 1 as rank, '' as key, format('alter table %I enable row level security%s;', c.relname,
    case when c.relforcerowsecurity then ', force row level security' else '' end) as line
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relrowsecurity and ${OURS}
  union all
  select tablename, 2, policyname, format('create policy %I on %I for %s to %s%s%s;', policyname, tablename, lower(cmd),
    array_to_string(roles, ', '), coalesce(' using (' || qual || ')', ''), coalesce(' with check (' || with_check || ')', ''))
  from pg_policies where schemaname = 'public'
  union all
  select c.relname, 3, i.relname, pg_get_indexdef(i.oid) || ';'
  from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
    join pg_namespace n on n.oid = c.relnamespace
  where ${OURS} and not exists (select from pg_constraint k where k.conindid = i.oid)
  union all
  select c.relname, 4, t.tgname, pg_get_triggerdef(t.oid) || ';'
  from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where ${OURS} and not t.tgisinternal
  union all
  select table_name, 5, grantee, format('grant %s on %I to %s;', string_agg(lower(privilege_type), ', ' order by privilege_type),
    table_name, grantee)
  from information_schema.role_table_grants where table_schema = 'public' and grantee in ('svc_app', 'svc_operator')
  group by table_name, grantee
  order by 1, 2, 3`;

const VIEWS = `
  select c.relname as name, format(E'create view %I as\\n%s', c.relname, pg_get_viewdef(c.oid)) as line
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'v' and ${OURS} order by 1`;

/** Functions of ours: those of an extension belong to it. */
export const FUNCTIONS = `
  select p.proname as name, pg_get_functiondef(p.oid) || ';' as line
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where ${OURS} and p.prokind = 'f'
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname, pg_get_function_identity_arguments(p.oid)`;

/** Who may call them; without a line of its own, their owner alone. */
const CALLERS = `
  select p.proname as name, format('grant execute on function %s(%s) to %s;', p.proname, pg_get_function_identity_arguments(p.oid),
    string_agg(callers.name, ', ' order by callers.name)) as line
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    cross join lateral (
      select coalesce(r.rolname, 'public') as name from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        left join pg_roles r on r.oid = a.grantee
      where a.privilege_type = 'EXECUTE' and a.grantee <> p.proowner
    ) callers
  where ${OURS} and p.prokind = 'f'
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  group by p.oid, p.proname order by 1, 2`;

interface Line {
  name: string;
  line: string;
}

/**
 * The schema after the last migration, as SQL to read: tables with their columns, constraints, policies, indexes,
 * triggers and rights, then views, then functions, then who may call these.
 */
export async function readSchema(client: Client): Promise<string> {
  const read = async (sql: string) => Map.groupBy((await client.query<Line>(sql)).rows, ({ name }) => name);
  const [columns, constraints, statements] = [await read(COLUMNS), await read(CONSTRAINTS), await read(STATEMENTS)];
  const linesOf = (from: Map<string, Line[]>, name: string) => (from.get(name) ?? []).map(({ line }) => line);
  const tables = [...columns.keys()].map((name) => {
    const body = [...linesOf(columns, name), ...linesOf(constraints, name)].join(',\n');
    return [`create table ${name} (\n${body}\n);`, ...linesOf(statements, name)].join('\n');
  });
  const rest = [...(await client.query<Line>(VIEWS)).rows, ...(await client.query<Line>(FUNCTIONS)).rows];
  const callers = (await client.query<Line>(CALLERS)).rows.map(({ line }) => line).join('\n');
  return `${[...tables, ...rest.map(({ line }) => line), callers].join('\n\n')}\n`;
}
