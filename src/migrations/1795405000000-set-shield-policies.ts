import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What tenants ask for on top of the shield's rules, what principals spent, and one spelling of every id (docs/decisions/0137). */
export class SetShieldPolicies1795405000000 implements MigrationInterface {
  name = 'SetShieldPolicies1795405000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(POLICIES);
    await runner.query(SPENDING);
    await runner.query(ONE_SPELLING);
  }

  /** Rows that became one stay one. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table shield_publisher drop constraint shield_publisher_lower_case;
      alter table shield_server drop constraint shield_server_lower_case;
      drop table shield_spending;
      alter table shield_policy drop column require_server_id, drop column require_tool_digest, drop column require_registered,
        drop column require_ui_integrity, drop column spend_window_credits, drop column spend_window_seconds;
    `);
  }
}

const POLICIES = `
  alter table shield_policy
    add column require_server_id boolean not null default false,
    add column require_tool_digest boolean not null default false,
    add column require_registered boolean not null default false,
    add column require_ui_integrity boolean not null default false,
    add column spend_window_credits integer check (spend_window_credits >= 0),
    add column spend_window_seconds integer check (spend_window_seconds between 1 and 2592000),
    add check ((spend_window_credits is null) = (spend_window_seconds is null));
`;

const SPENDING = `
  -- Credits that calls spent, by principal: written with their effect, summed within the spend window. Not every caller's tenant has a row.
  create table shield_spending (
    tenant_id text not null,
    decision_id uuid not null,
    principal text not null,
    credits bigint not null check (credits > 0),
    -- When it was spent, not when its transaction began: calls that waited for each other are in their order.
    spent_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, decision_id)
  );
  create index shield_spending_window on shield_spending (tenant_id, principal, spent_at);
  create index shield_spending_age on shield_spending using brin (spent_at);
  select svc_secure_table('shield_spending');
  revoke delete on shield_spending from svc_app;
  revoke insert, update on shield_spending from svc_operator;
`;

/** A to Z alone, as the program does it: what lower() makes of other letters depends on the database's locale. */
const small = (column: string): string =>
  `translate(${column}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`;

/** Forced row-level security hides the rows of tables from their owner. */
const TABLES = ['shield_publisher', 'shield_server', 'shield_digest', 'shield_kill_switch'];

/** Of rows whose ids differ by case alone one is left, with the strictest of each: status, key and pins. */
const ONE_SPELLING = `
  ${TABLES.map((table) => `alter table ${table} no force row level security;`).join('\n  ')}

  insert into shield_publisher (tenant_id, publisher_id, name, public_key, status, reason, created_at, changed_by, changed_at)
    select distinct on (p.tenant_id, ${small('p.publisher_id')}) p.tenant_id, ${small('p.publisher_id')}, p.name,
      (select o.public_key from shield_publisher o where o.tenant_id = p.tenant_id
         and ${small('o.publisher_id')} = ${small('p.publisher_id')} and o.public_key is not null order by o.changed_at desc limit 1),
      p.status, p.reason, p.created_at, p.changed_by, p.changed_at
    from shield_publisher p
    where exists (select from shield_publisher o where o.tenant_id = p.tenant_id and o.publisher_id <> ${small('o.publisher_id')}
      and ${small('o.publisher_id')} = ${small('p.publisher_id')})
    order by p.tenant_id, ${small('p.publisher_id')}, p.status = 'revoked' desc, p.changed_at desc
    on conflict (tenant_id, publisher_id) do update set name = excluded.name, public_key = excluded.public_key, status = excluded.status,
      reason = excluded.reason, created_at = excluded.created_at, changed_by = excluded.changed_by, changed_at = excluded.changed_at;

  insert into shield_server (tenant_id, server_id, url, publisher_id, tool_digests, status, reason, created_at, changed_by, changed_at)
    select distinct on (s.tenant_id, ${small('s.server_id')}) s.tenant_id, ${small('s.server_id')}, s.url, ${small('s.publisher_id')},
      coalesce((select o.tool_digests from shield_server o where o.tenant_id = s.tenant_id
         and ${small('o.server_id')} = ${small('s.server_id')} and o.tool_digests <> '{}' order by o.changed_at desc limit 1), '{}'),
      (array['blocked', 'quarantined', 'active'])[min(array_position(array['blocked', 'quarantined', 'active'], s.status))
        over (partition by s.tenant_id, ${small('s.server_id')})],
      s.reason, s.created_at, s.changed_by, s.changed_at
    from shield_server s join shield_publisher p using (tenant_id, publisher_id)
    where exists (select from shield_server o where o.tenant_id = s.tenant_id and o.server_id <> ${small('o.server_id')}
      and ${small('o.server_id')} = ${small('s.server_id')})
    order by s.tenant_id, ${small('s.server_id')}, p.status = 'revoked' desc,
      array_position(array['blocked', 'quarantined', 'active'], s.status), s.changed_at desc
    on conflict (tenant_id, server_id) do update set url = excluded.url, publisher_id = excluded.publisher_id,
      tool_digests = excluded.tool_digests, status = excluded.status, reason = excluded.reason, created_at = excluded.created_at,
      changed_by = excluded.changed_by, changed_at = excluded.changed_at;

  delete from shield_server where server_id <> ${small('server_id')};
  update shield_server set publisher_id = ${small('publisher_id')} where publisher_id <> ${small('publisher_id')};
  update shield_digest set publisher_id = ${small('publisher_id')} where publisher_id <> ${small('publisher_id')};
  delete from shield_publisher where publisher_id <> ${small('publisher_id')};
  update shield_kill_switch set target = ${small('target')} where scope in ('server', 'publisher') and target <> ${small('target')};

  ${TABLES.map((table) => `alter table ${table} force row level security;`).join('\n  ')}
  alter table shield_publisher add constraint shield_publisher_lower_case check (publisher_id = ${small('publisher_id')});
  alter table shield_server add constraint shield_server_lower_case check (server_id = ${small('server_id')});
`;
