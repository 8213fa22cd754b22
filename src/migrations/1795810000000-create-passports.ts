import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Passports of a tenant, requests for them, and who was seen last. What a passport held ends with it, by the triggers
 * on principal_end, and what it would come to hold after that ends as it begins.
 */
export class CreatePassports1795810000000 implements MigrationInterface {
  name = 'CreatePassports1795810000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES);
    await runner.query(REVOCATION);
    await runner.query(HOLDERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger keep_from_revoked on lease;
      drop trigger keep_from_revoked on work_item;
      drop trigger keep_from_revoked on work_gate;
      drop trigger end_passport on principal_end;
      drop trigger announce on principal_end;
      drop table passport_presence, passport_mint_request, passport;
      drop function svc_find_passport(text, text), svc_end_passport(), svc_end_held(), svc_announce_principal_end(), svc_announce_passport(),
        svc_keep_lease(), svc_keep_claim(), svc_keep_gate(), svc_is_revoked(text, text);
    `);
  }
}

const TABLES = `
  -- A passport that was revoked stays so, and its id stays taken: receipts, facts and leases name it.
  create table passport (
    tenant_id text not null,
    passport_id text collate "C" not null,
    display_name text not null,
    kind text not null check (kind in ('human', 'agent', 'service')),
    -- 32 bytes of Ed25519 in base64url, and the thumbprint of RFC 7638.
    public_key text,
    fingerprint text,
    -- Whoever registered it proved to have the key.
    attested boolean not null default false,
    created_by text not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    revoked_by text,
    revoke_reason text,
    primary key (tenant_id, passport_id),
    check ((public_key is null) = (fingerprint is null)),
    check (public_key is not null or not attested),
    check ((revoked_at is null) = (revoked_by is null))
  );
  create index passport_key on passport (tenant_id, fingerprint) where fingerprint is not null;
  select svc_secure_table('passport');
  revoke delete on passport from svc_app;
  revoke insert, update on passport from svc_operator;

  create table passport_mint_request (
    tenant_id text not null,
    request_id uuid not null,
    passport_id text collate "C" not null,
    display_name text not null,
    kind text not null check (kind in ('human', 'agent', 'service')),
    public_key text,
    fingerprint text,
    attested boolean not null default false,
    why text,
    requested_passport text,
    requested_principal text not null,
    requested_at timestamptz not null default now(),
    status text not null default 'pending' check (status in ('pending', 'approved', 'rejected')),
    decided_passport text,
    decided_principal text,
    decided_at timestamptz,
    reason text,
    primary key (tenant_id, request_id),
    check ((public_key is null) = (fingerprint is null)),
    check ((status = 'pending') = (decided_at is null))
  );
  create index passport_mint_request_list on passport_mint_request (tenant_id, status, request_id);
  select svc_secure_table('passport_mint_request');
  revoke delete on passport_mint_request from svc_app;
  revoke insert, update on passport_mint_request from svc_operator;

  -- Written at most once in half a minute by whatever requests bear the passport, registered or not.
  create table passport_presence (
    tenant_id text not null,
    passport_id text collate "C" not null,
    first_seen_at timestamptz not null default now(),
    last_seen_at timestamptz not null default now(),
    primary key (tenant_id, passport_id)
  );
  create index passport_presence_age on passport_presence (last_seen_at);
  select svc_secure_table('passport_presence');
  revoke insert, update on passport_presence from svc_operator;
`;

const REVOCATION = `
  create function svc_find_passport(wanted_tenant text, wanted_passport text) returns table (standing text, attested boolean)
    language plpgsql as $$ begin end $$;
  create function svc_announce_passport() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger announce after insert on passport for each row execute function svc_announce_passport();

  create function svc_end_passport() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger end_principal after update of revoked_at on passport
    for each row when (old.revoked_at is null and new.revoked_at is not null) execute function svc_end_passport();

  create function svc_end_held() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger end_passport after insert on principal_end
    for each row when (new.principal like 'passport:%') execute function svc_end_held();

  create function svc_announce_principal_end() returns trigger language plpgsql as $$ begin return null; end $$;
  create trigger announce after insert on principal_end for each row execute function svc_announce_principal_end();
`;

const HOLDERS = `
  create function svc_is_revoked(me text, wanted text) returns boolean language plpgsql as $$ begin return false; end $$;
  create function svc_keep_lease() returns trigger language plpgsql as $$ begin return new; end $$;
  create function svc_keep_claim() returns trigger language plpgsql as $$ begin return new; end $$;
  create function svc_keep_gate() returns trigger language plpgsql as $$ begin return new; end $$;
  create trigger keep_from_revoked before insert on lease for each row execute function svc_keep_lease();
  create trigger keep_from_revoked before update of lease_fence on work_item
    for each row when (new.lease_fence is not null and new.lease_fence is distinct from old.lease_fence) execute function svc_keep_claim();
  create trigger keep_from_revoked before insert on work_gate for each row execute function svc_keep_gate();
`;
