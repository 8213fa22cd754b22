import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An invitation ends with whoever made it; an active seat can be invited to sign in again. */
export class EndInvitations1795268100000 implements MigrationInterface {
  name = 'EndInvitations1795268100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The principal that made the invitation a seat has now, be it to join or to sign in again; null when the seat asked for it itself.
      alter table seat add column invite_issuer text;
      create index seat_invite_issuer on seat (tenant_id, invite_issuer) where invite_hash is not null;

      alter table seat_event drop constraint seat_event_kind_check;
      alter table seat_event add constraint seat_event_kind_check
        check (kind in ('invited', 'accepted', 'role_changed', 'revoked', 'sign_in_invited', 'signed_in'));

      -- The owner of the tables reaches every tenant's rows only while row security is not forced on it.
      alter table seat no force row level security;
      alter table seat_event no force row level security;
      alter table principal_end no force row level security;
      update seat s set invite_issuer = (select e.actor from seat_event e
          where e.tenant_id = s.tenant_id and e.seat_id = s.seat_id and e.kind = 'invited' order by e.event_id desc limit 1)
        where s.invite_hash is not null;
      update seat s set invite_hash = null, invite_expires_at = null, invite_issuer = null
        where s.invite_hash is not null and exists (select from principal_end p
          where p.tenant_id = s.tenant_id and p.principal = s.invite_issuer and p.ended_at >= s.invited_at);
      alter table seat force row level security;
      alter table seat_event force row level security;
      alter table principal_end force row level security;

      -- Whoever made an invitation has its token. The one of an active seat ends with a change of that seat too: it would open the new role.
      create function svc_end_invitations() returns trigger language plpgsql as $$
      begin
        update seat set invite_hash = null, invite_expires_at = null, invite_issuer = null
          where tenant_id = new.tenant_id and invite_issuer = new.principal and invite_hash is not null;
        if new.principal like 'seat:%' then
          update seat set invite_hash = null, invite_expires_at = null, invite_issuer = null
            where tenant_id = new.tenant_id and seat_id = substr(new.principal, 6)::uuid and invite_hash is not null;
        end if;
        return null;
      end $$;
      create trigger end_invitations after insert on principal_end for each row execute function svc_end_invitations();
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop trigger end_invitations on principal_end;
      drop function svc_end_invitations();
      alter table seat no force row level security;
      update seat set invite_hash = null, invite_expires_at = null where status = 'active' and invite_hash is not null;
      alter table seat force row level security;
      alter table seat drop column invite_issuer;
      -- Not valid: what was written meanwhile is history and stays.
      alter table seat_event drop constraint seat_event_kind_check;
      alter table seat_event add constraint seat_event_kind_check check (kind in ('invited', 'accepted', 'role_changed', 'revoked')) not valid;
    `);
  }
}
