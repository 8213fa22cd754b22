import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { makePeer } from '../../kit/peer.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/formats/peer-requests.md'), 'utf8');
const PROGRAM = /```python\n([\s\S]*?)```/.exec(PAGE)![1]!;
const canRun = spawnSync('python3', ['-c', 'import cryptography']).status === 0;
const PATH = '/v1/sync/tenants/acme/handshake';

describe.skipIf(!canRun)('the program of docs/formats/peer-requests.md', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startDaemon({ tenants: ['acme'], env: { SVCD_SYNC_MUTUAL_AUTH: '1' } });
  });
  afterAll(() => daemon.close());

  it('is let in as a peer, with a body and without', async () => {
    const { publicKey, keyid, key } = makePeer();
    const request = { tenant_id: 'acme', peer_id: 'snake', entity_prefixes: ['a:'], direction: 'push' };
    await daemon.call('POST', '/v1/sync/peers', { ...request, public_key: publicKey });
    const seed = Buffer.from(key.export({ format: 'jwk' }).d!, 'base64url').toString('hex');
    const ask = (body: string): string =>
      `ask(key, "${keyid}", "${daemon.url}", "POST", "${PATH}"${body === '' ? '' : `, b'${body}'`})`;
    const program = [
      PROGRAM,
      `key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex("${seed}"))`,
      `print(json.dumps([${ask('{"message": "hello"}')}, ${ask('')}]))`,
    ].join('\n');
    const { stdout } = await promisify(execFile)('python3', ['-c', program]);
    expect(JSON.parse(stdout)).toMatchObject([
      { principal: 'peer:snake', message: 'hello', may_read: true, may_write: false },
      { principal: 'peer:snake', message: null },
    ]);
  });
});
