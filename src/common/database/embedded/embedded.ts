import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openClusterHome, removeClusterHome, SOCKET_PORT } from './cluster-home.js';
import { addHolder, removeHolder, watchHolders } from './holders.js';
import { initialiseCluster } from './initialise.js';
import { findPostgresBinaries } from './platform-binaries.js';
import { ensurePostmaster, findPostmaster, stopPostmaster } from './postmaster.js';
import type { ServerUse } from './server-settings.js';

/** What `throwAway` started deletes its cluster when it stops. What joins a running server takes it as it is. */
export interface EmbeddedOptions extends ServerUse {
  /** SVC_DATA_DIR; made when missing. */
  readonly dataDir: string;
  readonly log: (message: string) => void;
}

/** A use of the embedded server by this process. */
export interface EmbeddedServer {
  /** Database `svc` as `svc_owner`, who owns it and may create roles and databases but is no superuser. */
  readonly url: string;
  /**
   * The same database as the superuser `postgres`: backup, restore and checks that must see past row-level security.
   */
  readonly superuserUrl: string;
  readonly socketDir: string;
  /** The server was already running. */
  readonly adopted: boolean;
  /** Settles when the server's process is gone, for whatever reason, or this use has ended. */
  readonly gone: Promise<void>;
  /** Ends this use; stops the server unless another live process uses it. */
  stop(): Promise<void>;
}

const LIVENESS_MS = 250;

/**
 * Starts the embedded PostgreSQL of a data directory, or joins the running one (D3). Durable (fsync on), reachable only
 * through a unix socket in a directory of mode 0700, never run as root.
 *
 * @throws Error with the remedy when the platform has no binaries or the server does not start.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const durable = options.throwAway !== true;
  const cluster = openClusterHome(options.dataDir);
  const binaries = findPostgresBinaries(cluster.account);
  const holder = addHolder(cluster.holdersDir);
  try {
    await initialiseCluster(cluster, binaries, durable);
    const server = await ensurePostmaster(cluster, binaries, options);
    if (!server.adopted) watchHolders(server.pid, cluster.holdersDir, join(cluster.pgData, 'postmaster.pid'));
    options.log(
      `PostgreSQL ${server.adopted ? 'found running' : 'started'} (pid ${server.pid}, socket in ${server.socketDir})`,
    );
    let stopping: Promise<void> | undefined;
    const ended = Promise.withResolvers<void>();
    const stop = async (): Promise<void> => {
      ended.resolve();
      if (!removeHolder(cluster.holdersDir, holder)) return;
      await stopPostmaster(cluster.pgData);
      if (!durable) removeClusterHome(cluster);
    };
    return {
      url: connectionUrl('svc_owner', server.socketDir),
      superuserUrl: connectionUrl('postgres', server.socketDir),
      socketDir: server.socketDir,
      adopted: server.adopted,
      gone: Promise.race([untilGone(cluster.pgData, server.pid), ended.promise]),
      stop: () => (stopping ??= stop()),
    };
  } catch (error) {
    removeHolder(cluster.holdersDir, holder);
    throw error;
  }
}

/**
 * The address of the server that runs for a data directory, for callers that do not become one of its users; undefined
 * when there is none.
 */
export function findEmbedded(dataDir: string, user: 'svc_owner' | 'postgres' = 'svc_owner'): string | undefined {
  const place = join(dataDir, 'postgres');
  const running = existsSync(place) ? findPostmaster(join(realpathSync(place), 'data')) : undefined;
  return running?.isReady ? connectionUrl(user, running.socketDir) : undefined;
}

/**
 * The form node-postgres, pg-boss, TypeORM and libpq all take: an empty host and the socket's directory as parameter
 * `host`.
 */
function connectionUrl(user: string, socketDir: string, database = 'svc'): string {
  return `postgresql://${user}@/${database}?host=${encodeURIComponent(socketDir)}&port=${SOCKET_PORT}`;
}

async function untilGone(pgData: string, pid: number): Promise<void> {
  while (findPostmaster(pgData)?.pid === pid) await sleep(LIVENESS_MS, undefined, { ref: false });
}
