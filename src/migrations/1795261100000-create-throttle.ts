import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Counts of failed sign-ins and of public requests, shared by all processes. They belong to no tenant, so the table is nobody's but its owner's: the
 * application has three functions that run as the owner, and the operator role may clear what is old.
 */
export class CreateThrottle1795261100000 implements MigrationInterface {
  name = 'CreateThrottle1795261100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table throttle (
        -- A keyed digest of what is counted: no address is kept.
        subject bytea primary key check (length(subject) = 32),
        attempts int not null default 0,
        blocked_until timestamptz,
        counted_at timestamptz not null default clock_timestamp()
      );
      create index throttle_age on throttle (counted_at);
      grant select, delete on throttle to svc_operator;

      -- The subject's row, locked until the transaction ends; what an hour without attempts has passed over is forgotten.
      create function svc_throttle_row(wanted bytea) returns throttle language sql as $$
        insert into throttle as t (subject) values (wanted)
        on conflict (subject) do update set
          attempts = case when t.counted_at < clock_timestamp() - interval '1 hour' then 0 else t.attempts end,
          blocked_until = case when t.counted_at < clock_timestamp() - interval '1 hour' then null else t.blocked_until end
        returning *;
      $$;
      revoke execute on function svc_throttle_row(bytea) from public;

      -- One more attempt. From the last free one on the subject is blocked: for first_seconds, then twice as long each time up to most_seconds.
      create function svc_throttle_add(wanted bytea, free int, first_seconds int, most_seconds int) returns int language sql as $$
        update throttle set attempts = attempts + 1, counted_at = clock_timestamp(),
          blocked_until = case when attempts + 1 >= free
            then clock_timestamp() + least(most_seconds, first_seconds * 2.0 ^ least(attempts + 1 - free, 30)) * interval '1 second' end
        where subject = wanted
        returning attempts;
      $$;
      revoke execute on function svc_throttle_add(bytea, int, int, int) from public;

      create function svc_seconds_until(moment timestamptz) returns int language sql as $$
        select greatest(0, ceil(extract(epoch from moment - clock_timestamp())))::int;
      $$;

      -- Counts a request of a kind that has no failure: the seconds to wait, 0 when it may pass. What is refused is not counted.
      create function svc_admit_request(wanted bytea, free int, first_seconds int, most_seconds int) returns int
        language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        wait int := svc_seconds_until((svc_throttle_row(wanted)).blocked_until);
      begin
        if coalesce(wait, 0) > 0 then return wait; end if;
        perform svc_throttle_add(wanted, free, first_seconds, most_seconds);
        return 0;
      end $$;
      revoke execute on function svc_admit_request(bytea, int, int, int) from public;
      grant execute on function svc_admit_request(bytea, int, int, int) to svc_app;

      -- A sign-in is counted as failed before its key is looked at, so that many at once are no more than many in a row. The tenant's own count
      -- blocks nobody; past 100 it takes from every address all free failures for that tenant but the first.
      create function svc_admit_sign_in(of_address bytea, of_pair bytea, of_tenant bytea, out wait int, out mark int)
        language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      declare
        address throttle := svc_throttle_row(of_address);
        pair throttle := svc_throttle_row(of_pair);
        tenant throttle := svc_throttle_row(of_tenant);
      begin
        wait := coalesce(svc_seconds_until(greatest(address.blocked_until, pair.blocked_until)), 0);
        if wait > 0 then return; end if;
        mark := svc_throttle_add(of_address, 25, 1, 900);
        perform svc_throttle_add(of_pair, case when tenant.attempts < 100 then 5 else 1 end, 1, 900);
        update throttle set attempts = attempts + 1, counted_at = clock_timestamp() where subject = of_tenant;
      end $$;
      revoke execute on function svc_admit_sign_in(bytea, bytea, bytea) from public;
      grant execute on function svc_admit_sign_in(bytea, bytea, bytea) to svc_app;

      -- The sign-in that was admitted as mark succeeded: it counts no more, and the address starts anew with this tenant. Its failures with
      -- other tenants stay counted.
      create function svc_sign_in_succeeded(of_address bytea, of_pair bytea, of_tenant bytea, mark int) returns void
        language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
      begin
        update throttle set attempts = greatest(attempts - 1, 0), blocked_until = case when attempts = mark then null else blocked_until end
          where subject = of_address;
        delete from throttle where subject = of_pair;
        update throttle set attempts = greatest(attempts - 1, 0) where subject = of_tenant;
      end $$;
      revoke execute on function svc_sign_in_succeeded(bytea, bytea, bytea, int) from public;
      grant execute on function svc_sign_in_succeeded(bytea, bytea, bytea, int) to svc_app;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop function svc_sign_in_succeeded(bytea, bytea, bytea, int), svc_admit_sign_in(bytea, bytea, bytea),
        svc_admit_request(bytea, int, int, int), svc_seconds_until(timestamptz), svc_throttle_add(bytea, int, int, int), svc_throttle_row(bytea);
      drop table throttle;
    `);
  }
}
