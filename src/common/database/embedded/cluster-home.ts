import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UserError } from '../../user-error.js';
import { SYSTEM_HOME } from './platform-binaries.js';
import { canEnter, chooseServerAccount, type ServerAccount } from './server-account.js';
import { sha256 } from '../../../evidence/sha256.js';

/** The places of one embedded cluster; every path is real (no links) and absolute. */
export interface ClusterHome {
  readonly account: ServerAccount | undefined;
  /** Holds the other three; the server's user owns it, mode 0700. */
  readonly home: string;
  /** PGDATA. */
  readonly pgData: string;
  /** Directory of the unix socket; trust authentication is safe because only its owner can enter it. */
  readonly socketDir: string;
  /** One file for each process that needs the server, see holders.ts. */
  readonly holdersDir: string;
}

/** The port is only part of the socket's name: the server listens on no network address. */
export const SOCKET_PORT = 5432;

/** sockaddr_un.sun_path is 108 bytes with its terminator on Linux and 104 on macOS and the BSDs (unix(7), unix(4)). */
const SOCKET_PATH_MAX = process.platform === 'linux' ? 107 : 103;

/**
 * Makes (once) and describes the home of the embedded cluster of `dataDir`, normally `<dataDir>/postgres`. When this
 * process is root and the server's user cannot enter `dataDir`, the home is a directory under {@link SYSTEM_HOME} and
 * `<dataDir>/postgres` a link to it; the name is random, so that a new data directory never meets the cluster of a
 * deleted one.
 */
export function openClusterHome(dataDir: string): ClusterHome {
  const root = resolve(dataDir);
  const account = chooseServerAccount(join(root, 'postgres', 'data'));
  mkdirSync(root, { recursive: true, mode: account ? 0o711 : 0o700 });
  const place = join(root, 'postgres');
  if (!existsSync(place)) makeHome(place, realpathSync(root), account);
  const home = realpathSync(place);
  const holdersDir = join(home, 'holders');
  mkdirSync(holdersDir, { recursive: true, mode: 0o700 });
  return { account, home, pgData: join(home, 'data'), socketDir: openSocketDir(home, account), holdersDir };
}

function makeHome(place: string, root: string, account: ServerAccount | undefined): void {
  try {
    if (account && !canEnter(root, account)) symlinkSync(makeSystemHome(account), place);
    else makePrivateDir(place, account);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function makeSystemHome(account: ServerAccount): string {
  mkdirSync(SYSTEM_HOME, { recursive: true, mode: 0o755 });
  const home = mkdtempSync(join(SYSTEM_HOME, 'cluster-'));
  chownSync(home, account.uid, account.gid);
  return home;
}

function makePrivateDir(path: string, account: ServerAccount | undefined): void {
  mkdirSync(path, { mode: 0o700 });
  if (account) chownSync(path, account.uid, account.gid);
}

/**
 * `<home>/run`, or, when the socket's path would be too long for the kernel, a directory in the system's temporary
 * folder named by a digest of the home. A directory there that someone else made is not used.
 */
function openSocketDir(home: string, account: ServerAccount | undefined): string {
  const near = join(home, 'run');
  if (Buffer.byteLength(socketPath(near)) <= SOCKET_PATH_MAX) return openPrivateDir(near, account);
  const digest = sha256(home).toString('hex').slice(0, 16);
  return openPrivateDir(join(realpathSync(tmpdir()), `svc-${digest}`), account);
}

/** The file a client connects to. */
function socketPath(socketDir: string): string {
  return join(socketDir, `.s.PGSQL.${SOCKET_PORT}`);
}

function openPrivateDir(path: string, account: ServerAccount | undefined): string {
  try {
    makePrivateDir(path, account);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== (account?.uid ?? process.geteuid?.())) {
    throw new UserError(`${path} belongs to another user; remove it, or choose another SVC_DATA_DIR.`);
  }
  chmodSync(path, 0o700);
  return path;
}

/** Removes what lies outside the data directory; for throw-away clusters. */
export function removeClusterHome(cluster: ClusterHome): void {
  rmSync(cluster.socketDir, { recursive: true, force: true });
  rmSync(cluster.home, { recursive: true, force: true });
}
