import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { loadSettings } from '../../../src/common/config/settings.js';
import { createKeyFile, readKeyFile } from '../../../src/common/evidence-log/key-files.js';
import { KeyRing } from '../../../src/common/evidence-log/key-ring.js';
import { readPeerKey } from '../../../src/common/evidence-log/own-peer-key.js';
import { rotateSigningKeys } from '../../../src/common/evidence-log/rotate-signing-key.js';
import { PEERS } from '../../../src/evidence/purposes.js';
import { startDaemon, type TestDaemon } from '../../kit/daemon.js';
import { freshDatabase, type TestDatabase } from '../../kit/database.js';
import { canRunSigner, startSigner, type TestSigner } from '../../kit/signer.js';

let folder: string;
let database: TestDatabase;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-peer-key-'));
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const address = () => ({ ownerUrl: database.url });
const settingsOf = (env: Record<string, string>) => loadSettings({ NODE_ENV: 'test', ...env });
const peerKidIn = (file: string): string | undefined => readKeyFile(file).peers[0]?.kid;
const identityOf = (daemon: TestDaemon) => daemon.app.get(KeyRing, { strict: false }).peerIdentity;
const withoutPeers = (text: string): string => text.replace(/# peers\n-----BEGIN[^#]*END PRIVATE KEY-----\n/, '');

describe('the key by which peers know a database', () => {
  it('stands in the key file of the data directory from the first start on, and outlives rotations', async () => {
    const own = await freshDatabase();
    const daemon = await startDaemon({ database: own, env: { SVC_SIGNING_KEY_FILE: '' } });
    try {
      const file = join(daemon.dataDir, 'keys', 'signing-key.pem');
      const kid = peerKidIn(file);
      expect([identityOf(daemon)?.publicKey.kid, identityOf(daemon)?.signer?.kid]).toEqual([kid, kid]);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const settings = settingsOf({ SVC_DATA_DIR: daemon.dataDir });
      await rotateSigningKeys(settings, { ownerUrl: own.url });
      expect(peerKidIn(file)).toBe(kid);
      await rotateSigningKeys(settings, { ownerUrl: own.url }, { newChain: true });
      expect(peerKidIn(file)).toBe(kid);
      expect(await readPeerKey(settings, { ownerUrl: own.url }, false)).toMatchObject({
        keyid: kid,
        signs_here: true,
        replaced: null,
      });
    } finally {
      await daemon.close();
      await own.drop();
    }
  });

  it('is added to a file of the data directory that is of before', async () => {
    const own = await freshDatabase();
    const dataDir = mkdtempSync(join(folder, 'older-'));
    const settings = settingsOf({ SVC_DATA_DIR: dataDir });
    try {
      const file = join(dataDir, 'keys', 'signing-key.pem');
      createKeyFile(file);
      writeFileSync(file, withoutPeers(readFileSync(file, 'utf8')));
      expect(peerKidIn(file)).toBeUndefined();
      const { keyid } = await readPeerKey(settings, { ownerUrl: own.url }, false);
      expect(peerKidIn(file)).toBe(keyid);
    } finally {
      await own.drop();
    }
  });

  it('is one for all machines: another file than that of the database signs nothing', async () => {
    const [first, second] = [join(folder, 'first.pem'), join(folder, 'second.pem')];
    createKeyFile(first);
    copyFileSync(first, second);
    writeFileSync(second, withoutPeers(readFileSync(first, 'utf8')));
    const named = settingsOf({ SVC_SIGNING_KEY_FILE: first });
    const { keyid, public_key } = await readPeerKey(named, address(), false);
    expect(keyid).toBe(peerKidIn(first));
    const other = await readPeerKey(settingsOf({ SVC_SIGNING_KEY_FILE: second }), address(), false);
    expect(other).toEqual({ public_key, keyid, signs_here: false, replaced: null });
    expect(peerKidIn(second)).toBeUndefined();
  });

  it('is replaced when an operator says so, in running processes, too', async () => {
    const file = join(folder, 'first.pem');
    const daemon = await startDaemon({ database, env: { SVC_SIGNING_KEY_FILE: file } });
    try {
      const before = peerKidIn(file);
      const made = await readPeerKey(settingsOf({ SVC_SIGNING_KEY_FILE: file }), address(), true);
      expect([made.replaced, made.signs_here, peerKidIn(file)]).toEqual([before, true, made.keyid]);
      await vi.waitFor(() => expect(identityOf(daemon)?.signer?.kid).toBe(made.keyid), 10_000);
      expect(Object.keys(readKeyFile(file).keys)).toHaveLength(3);
    } finally {
      await daemon.close();
    }
  });
});

describe.skipIf(!canRunSigner)('with a signer outside', () => {
  let signer: TestSigner;
  let own: TestDatabase;
  beforeAll(async () => {
    signer = await startSigner();
    own = await freshDatabase();
  });
  afterAll(async () => {
    await signer.close();
    await own.drop();
  });

  it('the key is made there, and signs there', async () => {
    const settings = settingsOf({ SVC_DATA_DIR: mkdtempSync(join(folder, 'signer-')), ...signer.env });
    const read = (isNew: boolean) => readPeerKey(settings, { ownerUrl: own.url }, isNew);
    await expect(read(false)).rejects.toThrow('has no key for peers yet');
    await expect(read(true)).rejects.toThrow('"svc_purposes": ["peers"]');
    signer.makeKey(PEERS, '1');
    const { keyid } = await read(false);
    const daemon = await startDaemon({ database: own, env: { SVC_SIGNING_KEY_FILE: '', ...signer.env } });
    try {
      const { signer: key, publicKey } = identityOf(daemon)!;
      expect([key?.kid, publicKey.kid]).toEqual([keyid, keyid]);
      const [signature] = await key!.signAll([Buffer.from('a request')], PEERS);
      expect(publicKey.verify(Buffer.from('a request'), signature!)).toBe(true);
    } finally {
      await daemon.close();
    }
    signer.makeKey(PEERS, '2');
    const replaced = await read(true);
    expect([replaced.replaced, replaced.signs_here]).toEqual([keyid, true]);
  });
});
