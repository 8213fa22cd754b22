import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openssl } from './tsa.js';

/** What `openssl genpkey` is asked for. */
const KEY_KINDS = {
  'P-256': ['EC', 'ec_paramgen_curve:P-256'],
  'P-384': ['EC', 'ec_paramgen_curve:P-384'],
  Ed25519: ['ED25519'],
  'RSA 2048': ['RSA', 'rsa_keygen_bits:2048'],
  'RSA-PSS 2048': ['RSA-PSS', 'rsa_keygen_bits:2048'],
  'RSA 1024': ['RSA', 'rsa_keygen_bits:1024'],
  'P-192': ['EC', 'ec_paramgen_curve:P-192'],
  'P-521': ['EC', 'ec_paramgen_curve:P-521'],
} as const;
type KeyKind = keyof typeof KEY_KINDS;

/** A key with its certificate, all as PEM. */
export interface SignerFiles {
  readonly key: string;
  readonly leaf: string;
  /** The leaf and the intermediate. */
  readonly chain: string;
}

interface LeafOptions {
  /** Days from now when it begins and ends. */
  readonly days?: readonly [from: number, to: number];
  readonly keyUsage?: string;
  /** Certify this key and not one of its own. */
  readonly key?: string;
  /** What its certificate is signed over. */
  readonly digest?: 'sha1' | 'sha256';
}

/** A root and an intermediate authority in a folder, and the keys that they certify; made by openssl. */
export interface TestAuthority {
  readonly folder: string;
  readonly root: string;
  readonly rootFile: string;
  readonly intermediate: string;
  certify(kind: KeyKind, options?: LeafOptions): Promise<SignerFiles>;
  close(): Promise<void>;
}

const CONFIG = `
[req]
distinguished_name = dn
prompt = no
[dn]
CN = unused
[ca]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign, cRLSign
subjectKeyIdentifier = hash
[leaf]
basicConstraints = critical, CA:false
keyUsage = critical, USAGE
subjectAltName = email:ada@example.org
`;

const DAY_MS = 86_400_000;
/** As openssl writes times: YYYYMMDDHHMMSSZ. */
const timeIn = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().replace(/[-:T]|\.\d+/g, '');

export async function startAuthority(): Promise<TestAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-ca-'));
  const file = (name: string) => join(folder, name);
  const read = (name: string) => readFile(file(name), 'utf8');
  await writeFile(file('config'), CONFIG.replace('USAGE', 'digitalSignature'));
  const config = ['-config', file('config')];
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const root = ['-subj', '/O=Example/CN=Root', '-extensions', 'ca', '-days', '3650', '-keyout', file('root.key')];
  await openssl('req', '-x509', ...ec, ...config, ...root, '-out', file('root.pem'));
  await openssl(
    'req',
    '-new',
    ...ec,
    ...config,
    '-subj',
    '/CN=Intermediate',
    '-keyout',
    file('mid.key'),
    '-out',
    file('mid.csr'),
  );
  const ca = ['-extfile', file('config'), '-extensions', 'ca', '-days', '3000', '-out', file('mid.pem')];
  await openssl(
    'x509',
    '-req',
    '-in',
    file('mid.csr'),
    '-CA',
    file('root.pem'),
    '-CAkey',
    file('root.key'),
    '-set_serial',
    '2',
    ...ca,
  );
  const intermediate = await read('mid.pem');
  let serial = 2;

  async function certify(kind: KeyKind, options: LeafOptions = {}): Promise<SignerFiles> {
    const { days = [-1, 300], keyUsage = 'digitalSignature', digest = 'sha256' } = options;
    const name = `leaf-${++serial}`;
    const [algorithm, option] = KEY_KINDS[kind];
    if (options.key) await writeFile(file(`${name}.key`), options.key);
    else
      await openssl(
        'genpkey',
        '-algorithm',
        algorithm,
        ...(option ? ['-pkeyopt', option] : []),
        '-out',
        file(`${name}.key`),
      );
    await writeFile(file(`${name}.cnf`), CONFIG.replace('USAGE', keyUsage));
    await writeFile(file('index'), '');
    await openssl(
      'req',
      '-new',
      ...config,
      '-key',
      file(`${name}.key`),
      '-subj',
      `/O=Example/CN=${name}`,
      '-out',
      file(`${name}.csr`),
    );
    await writeFile(
      file('ca.cnf'),
      `[ca]\ndefault_ca = a\n[a]\ndatabase = ${file('index')}\nnew_certs_dir = ${folder}\nrand_serial = yes\npolicy = p\n[p]\nO = optional\nCN = supplied\n`,
    );
    const validity = ['-startdate', timeIn(days[0]), '-enddate', timeIn(days[1])];
    const by = ['-cert', file('mid.pem'), '-keyfile', file('mid.key'), '-md', digest, '-batch', '-notext'];
    const extensions = ['-extfile', file(`${name}.cnf`), '-extensions', 'leaf'];
    await openssl(
      'ca',
      '-config',
      file('ca.cnf'),
      ...by,
      ...validity,
      ...extensions,
      '-in',
      file(`${name}.csr`),
      '-out',
      file(`${name}.pem`),
    );
    const leaf = await read(`${name}.pem`);
    return { key: await read(`${name}.key`), leaf, chain: leaf + intermediate };
  }
  return {
    folder,
    root: await read('root.pem'),
    rootFile: file('root.pem'),
    intermediate,
    certify,
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
