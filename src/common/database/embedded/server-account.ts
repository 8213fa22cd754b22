import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** The user and group a PostgreSQL process runs under; undefined means those of this process. */
export interface ServerAccount {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: ServerAccount = { uid: 65534, gid: 65534 };

/**
 * PostgreSQL refuses to run as root. When this process is root, the server runs as the owner of an existing cluster,
 * else as `postgres` where the system has that user, else as `nobody`. Undefined when this process is an ordinary user.
 */
export function chooseServerAccount(existingCluster: string): ServerAccount | undefined {
  if (process.geteuid?.() !== 0) return undefined;
  const owner = statSync(existingCluster, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = readPasswd();
  return findAccount(passwd, 'postgres') ?? findAccount(passwd, 'nobody') ?? NOBODY;
}

/** Finds `name` in the text of /etc/passwd (passwd(5): name:password:uid:gid:...). */
export function findAccount(passwd: string, name: string): ServerAccount | undefined {
  for (const line of passwd.split('\n')) {
    const [user, , uid, gid] = line.split(':');
    if (user === name && Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}

/** True when `account` may enter `directory` and every directory above it, judged by the permission bits. */
export function canEnter(directory: string, account: ServerAccount): boolean {
  for (let current = directory; ; current = dirname(current)) {
    if (!mayExecute(current, account)) return false;
    if (current === dirname(current)) return true;
  }
}

function mayExecute(directory: string, account: ServerAccount): boolean {
  const { mode, uid, gid } = statSync(directory);
  if (uid === account.uid) return (mode & 0o100) !== 0;
  if (gid === account.gid) return (mode & 0o010) !== 0;
  return (mode & 0o001) !== 0;
}
