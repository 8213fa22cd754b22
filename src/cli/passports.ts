import { Command, InvalidArgumentError, Option } from 'commander';
import {
  MINT_STATUSES,
  PASSPORT_KINDS,
  PASSPORT_STATES,
  type MintStatus,
  type PassportKind,
} from '../modules/operations/passports/passports.types.js';
import type { PassportFilter } from './passport/passport-acts.js';
import { readPassportId } from './passport-id.js';
import { print, table, tableTime, type OutputOptions } from './output.js';
import { tenantOption } from './tenant-option.js';
import { uuidReader } from './uuid-argument.js';
import { readWords } from './words.js';

interface TenantOptions extends OutputOptions {
  tenant: string;
}

interface ReasonOptions extends TenantOptions {
  reason?: string;
}

/** `svc passport`: the passports of a tenant, and requests for them (docs/passports.md). */
export const passportCommand = (): Command =>
  new Command('passport')
    .description('list, register and revoke the passports of a tenant; decide on requests for them')
    .addCommand(list())
    .addCommand(show())
    .addCommand(register())
    .addCommand(revoke())
    .addCommand(requests())
    .addCommand(approve())
    .addCommand(reject());

const withTenant = (command: Command): Command =>
  command.addOption(tenantOption('whose passports')).option('--json', 'print one JSON object');

const list = () =>
  withTenant(new Command('list').description('list the passports of a tenant'))
    .addOption(new Option('--kind <kind>', 'only of this kind').choices(PASSPORT_KINDS))
    .addOption(new Option('--state <state>', 'only in this state').choices(PASSPORT_STATES))
    .action(async ({ kind, state, ...options }: TenantOptions & PassportFilter) => {
      const { listPassports } = await import('./passport/passport-acts.js');
      const passports = await listPassports(options.tenant, { ...(kind && { kind }), ...(state && { state }) });
      print(options, { tenant_id: options.tenant, passports }, () =>
        table(
          ['PASSPORT', 'KIND', 'NAME', 'ATTESTED', 'SEEN', 'STATE'],
          passports.map(({ passport_id, kind: of, display_name, attested, last_seen_at, revoked_at }) => [
            ...[passport_id, of, display_name, attested ? 'yes' : 'no', timeOf(last_seen_at)],
            revoked_at === null ? 'active' : `revoked ${timeOf(revoked_at)}`,
          ]),
        ),
      );
    });

const show = () =>
  withTenant(
    new Command('show').description('show one passport').argument('<passport>', 'its id', readPassportId),
  ).action(async (passportId: string, options: TenantOptions) => {
    const { showPassport } = await import('./passport/passport-acts.js');
    const shown = await showPassport(options.tenant, passportId);
    const { length } = 'revoke_reason  ';
    print(options, shown, () =>
      Object.entries(shown.passport).map(([name, value]) => name.padEnd(length) + String(value ?? '-')),
    );
  });

interface RegisterOptions extends TenantOptions {
  name?: string;
  kind: PassportKind;
  key?: string;
  proof?: string;
}

const register = () =>
  withTenant(
    new Command('register')
      .description('register a passport; from the first one on, projects and planes name registered ones alone')
      .argument('<passport>', 'its id, which stays taken for ever', readPassportId),
  )
    .option('--name <name>', 'what people read; the id unless named', displayName)
    .addOption(new Option('--kind <kind>', 'who bears it').choices(PASSPORT_KINDS).default('agent'))
    .option('--key <key>', 'its Ed25519 public key, 32 bytes in base64url')
    .option('--proof <signature>', 'that its bearer has that key (docs/passports.md)')
    .action(async (passportId: string, { name, kind, key, proof, ...options }: RegisterOptions) => {
      const { registerPassport } = await import('./passport/passport-acts.js');
      const registered = await registerPassport(options.tenant, {
        ...{ passport_id: passportId, kind, ...(name === undefined ? {} : { display_name: name }) },
        ...{ ...(key === undefined ? {} : { public_key: key }), ...(proof === undefined ? {} : { proof }) },
      });
      print(options, registered, () => [`Registered ${passportId} in ${options.tenant}.`]);
    });

const revoke = () =>
  withTenant(
    new Command('revoke')
      .description('revoke a passport for ever, and end what it holds; every process refuses it within a second')
      .argument('<passport>', 'its id', readPassportId),
  )
    .option('--reason <words>', 'why; stands in the receipt', readWords)
    .action(async (passportId: string, { reason, ...options }: ReasonOptions) => {
      const { revokePassport } = await import('./passport/passport-acts.js');
      const done = await revokePassport(options.tenant, passportId, reason);
      const { leases, gates, intents, peers } = done.ended;
      print(options, done, () => [
        done.revoked
          ? `Revoked ${passportId}. It ended: leases ${leases}, gates ${gates}, intents ${intents}, peers ${peers}.`
          : `${passportId} was revoked before.`,
      ]);
    });

const requests = () =>
  withTenant(new Command('requests').description('list requests for passports, newest first'))
    .addOption(new Option('--status <status>', 'of this status').choices(MINT_STATUSES).default('pending'))
    .action(async ({ status, ...options }: TenantOptions & { status: MintStatus }) => {
      const { listMintRequests } = await import('./passport/passport-acts.js');
      const found = await listMintRequests(options.tenant, status);
      print(options, { tenant_id: options.tenant, mint_requests: found }, () =>
        table(
          ['REQUEST', 'PASSPORT', 'KIND', 'ASKED BY', 'ASKED', 'STATUS', 'WHY'],
          found.map(({ mint_request_id, passport_id, kind, requested_by, requested_at, why, ...request }) => [
            ...[mint_request_id, passport_id, kind, requested_by, timeOf(requested_at), request.status, why ?? ''],
          ]),
        ),
      );
    });

const withRequest = (command: Command): Command =>
  withTenant(command.argument('<request>', 'its id', uuidReader('A request'))).option(
    '--reason <words>',
    'why; whoever asked reads it',
    readWords,
  );

const approve = () =>
  withRequest(
    new Command('approve').description('approve a request, which registers the passport that it asks for'),
  ).action(async (requestId: string, { reason, ...options }: ReasonOptions) => {
    const { approveMintRequest } = await import('./passport/passport-acts.js');
    const done = await approveMintRequest(options.tenant, requestId, reason);
    print(options, done, () => [`Approved: ${done.passport.passport_id} is registered in ${options.tenant}.`]);
  });

const reject = () =>
  withRequest(new Command('reject').description('reject a request; another one may be made')).action(
    async (requestId: string, { reason, ...options }: ReasonOptions) => {
      const { rejectMintRequest } = await import('./passport/passport-acts.js');
      const done = await rejectMintRequest(options.tenant, requestId, reason);
      print(options, done, () => [`Rejected: ${done.mint_request.passport_id} is not registered.`]);
    },
  );

const timeOf = (time: string | null): string => (time === null ? '-' : tableTime(new Date(time)));

function displayName(text: string): string {
  if (text.length >= 1 && text.length <= 200 && text.isWellFormed() && !text.includes('\0')) return text;
  throw new InvalidArgumentError('Give it in 1 to 200 characters.');
}
