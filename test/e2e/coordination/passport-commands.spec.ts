import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { must } from '../../medium/work/given.js';
import { ALL_SCOPES, startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { makePeer } from '../../kit/peer.js';
import { PROGRAM } from '../../kit/program.js';

const NOWHERE = '00000000-0000-4000-8000-000000000000';

let daemon: TestDaemon;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-passport-commands-'));
  daemon = await startDaemon({ tenants: ['acme'], env: { SVCD_FEATURE_PASSPORT_MINT_REQUESTS: '1' } });
}, 120_000);
afterAll(async () => {
  await daemon.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `svc passport` on the database that the daemon serves. */
function passport(...args: string[]): Promise<{ code: number; said: any; stdout: string; stderr: string }> {
  const env = {
    ...{ PATH: process.env['PATH'], NODE_ENV: 'test', SVC_DATA_DIR: folder, SVC_DATABASE_URL: daemon.database.url },
    SVC_SIGNING_KEY_FILE: inject('signingKeyFile'),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [PROGRAM, 'passport', ...args], { env }, (error, stdout, stderr) => {
      const said: unknown = stdout.startsWith('{') ? JSON.parse(stdout) : undefined;
      resolve({ code: (error?.code as number | undefined) ?? 0, said, stdout, stderr });
    });
  });
}

const inAcme = ['--tenant', 'acme'];
const as = (bearer: string) => daemon.as({ scopes: ALL_SCOPES, tenant: 'acme', passport: bearer });

async function ask(passportId: string): Promise<string> {
  const body = { passport_id: passportId, why: 'A second worker' };
  return (await must(as('codex')('POST', '/v1/passport/mint-requests', body))).mint_request.mint_request_id;
}

/** The receipts of a subject, as whoever may read them sees that they verify. */
async function receiptsOf(subject: string): Promise<string[][]> {
  const rows = await daemon.database.query<{ receipt_id: string; kind: string; actor: string }>(
    `select receipt_id, kind, actor from receipt where tenant_id = 'acme' and subject = '${subject}'
     and stream = 'passports' order by seq`,
  );
  for (const { receipt_id: id } of rows)
    expect((await must(as('lead')('GET', `/v1/receipts/${id}/verification?tenant_id=acme`))).verified).toBe(true);
  return rows.map(({ kind, actor }) => [kind, actor]);
}

describe('svc passport', { timeout: 300_000 }, () => {
  it('registers, shows and lists, as the routes do', async () => {
    const { publicKey } = makePeer();
    const named = ['--name', 'Ada', '--kind', 'human', '--key', publicKey];
    const made = await passport('register', 'ada', ...inAcme, ...named, '--json');
    expect([made.code, made.stderr, made.said.passport]).toMatchObject([
      ...[0, ''],
      { passport_id: 'ada', display_name: 'Ada', kind: 'human', public_key: publicKey, created_by: 'operator' },
    ]);
    expect(await must(as('lead')('GET', '/v1/passports/ada'))).toEqual(made.said);
    expect((await passport('show', 'ada', ...inAcme, '--json')).said).toEqual(made.said);
    expect((await passport('show', 'ada', ...inAcme)).stdout).toMatch(/^passport_id +ada\ndisplay_name +Ada\n/);
    expect(await receiptsOf('ada')).toEqual([['passport.registered', 'operator']]);

    expect((await passport('register', 'scout', ...inAcme)).stdout).toBe('Registered scout in acme.\n');
    expect((await passport('list', ...inAcme)).stdout).toMatch(
      /^PASSPORT .*\nada +human +Ada .*\nscout +agent .* active\n$/,
    );
    const people = await passport('list', ...inAcme, '--kind', 'human', '--json');
    expect(people.said).toEqual({ tenant_id: 'acme', passports: [made.said.passport] });
  });

  it('revokes, and a daemon that runs refuses the passport from then on', async () => {
    await passport('register', 'mole', ...inAcme);
    const item = { project_id: 'garden', title: 'A hole', created_by_passport: 'mole', state: 'ready' };
    await must(as('mole')('POST', '/v1/work', item));
    await must(as('mole')('POST', '/v1/work/claim-next', { by_passport: 'mole', project_id: 'garden' }));
    const done = await passport('revoke', 'mole', ...inAcme, '--reason', 'it digs', '--json');
    expect([done.code, done.said]).toMatchObject([
      0,
      { revoked: true, ended: { leases: 1 }, passport: { revoked_by: 'operator', revoke_reason: 'it digs' } },
    ]);
    const codeOf = async () => (await as('mole')('GET', '/v1/work')).body.code;
    await expect.poll(codeOf, { timeout: 10_000 }).toBe('PASSPORT_REVOKED');
    expect((await receiptsOf('mole')).at(-1)).toEqual(['passport.revoked', 'operator']);
    expect((await passport('revoke', 'mole', ...inAcme)).stdout).toBe('mole was revoked before.\n');
    expect(await receiptsOf('mole')).toHaveLength(2);
    const revoked = await passport('list', ...inAcme, '--state', 'revoked', '--json');
    expect(revoked.said.passports).toEqual([done.said.passport]);
  });

  it('decides on requests', async () => {
    const [wanted, unwanted] = [await ask('codex-2'), await ask('codex-3')];
    const pending = await passport('requests', ...inAcme, '--json');
    expect(pending.said.mint_requests.map((one: any) => one.mint_request_id)).toEqual([unwanted, wanted]);
    expect((await passport('requests', ...inAcme)).stdout).toMatch(/^REQUEST .*\n.* codex-3 .* A second worker\n/);

    const approved = await passport('approve', wanted, ...inAcme, '--reason', 'Until Friday', '--json');
    expect([approved.code, approved.said]).toMatchObject([
      0,
      {
        mint_request: { status: 'approved', decided_by: 'operator', reason: 'Until Friday' },
        passport: { passport_id: 'codex-2', created_by: 'operator' },
      },
    ]);
    expect((await receiptsOf(wanted)).at(-1)).toEqual(['passport.mint_approved', 'operator']);
    expect(await receiptsOf('codex-2')).toEqual([['passport.registered', 'operator']]);

    const rejected = await passport('reject', unwanted, ...inAcme);
    expect([rejected.code, rejected.stdout]).toEqual([0, 'Rejected: codex-3 is not registered.\n']);
    expect((await receiptsOf(unwanted)).at(-1)).toEqual(['passport.mint_rejected', 'operator']);
    expect((await passport('requests', ...inAcme, '--json')).said.mint_requests).toEqual([]);
    const again = await passport('approve', unwanted, ...inAcme, '--json');
    expect([again.code, again.said.error]).toEqual([1, expect.stringContaining('It was rejected by operator')]);
  });

  it('says what is wrong, with 1 where it cannot be done and 2 where the command is wrong', async () => {
    await passport('register', 'taken', ...inAcme);
    const cases: [number, string, string[]][] = [
      [1, 'No passport nobody is registered in acme; svc passport list', ['show', 'nobody', ...inAcme]],
      [1, 'No passport nobody is registered in acme; svc passport list', ['revoke', 'nobody', ...inAcme]],
      [1, 'There is no tenant nobody', ['list', '--tenant', 'nobody']],
      [1, 'The passport is registered already', ['register', 'taken', ...inAcme]],
      [1, 'is no Ed25519 public key', ['register', 'new', ...inAcme, '--key', 'AAAA']],
      [1, `There is no request ${NOWHERE} in acme; svc passport requests`, ['approve', NOWHERE, ...inAcme]],
      [1, `There is no request ${NOWHERE} in acme; svc passport requests`, ['reject', NOWHERE, ...inAcme]],
      [2, 'A request is named by its id', ['approve', 'codex', ...inAcme]],
      [2, "required option '--tenant", ['show', 'taken']],
      [2, '1 to 128 letters', ['register', 'no blanks', ...inAcme]],
      [2, '1 to 200 characters', ['register', 'new', ...inAcme, '--name', '']],
      [2, 'Allowed choices are human, agent, service', ['register', 'new', ...inAcme, '--kind', 'robot']],
      [2, 'Say it in 1 to 2000', ['revoke', 'taken', ...inAcme, '--reason', ' ']],
    ];
    for (const [code, sentence, words] of cases) {
      const { code: ended, stderr } = await passport(...words);
      expect([words, ended, stderr]).toEqual([words, code, expect.stringContaining(sentence)]);
      expect(stderr).not.toMatch(/^ {4}at /m);
    }
    const { code, said } = await passport('show', 'nobody', ...inAcme, '--json');
    expect([code, said]).toEqual([1, { ok: false, error: expect.stringContaining('No passport nobody') }]);
  });
});
