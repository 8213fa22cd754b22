import { memoryShareMib } from '../../config/memory-share.js';
import { SOCKET_PORT } from './cluster-home.js';

/** What a server is started for; for a product that serves, neither. */
export interface ServerUse {
  /** For tests: no fsync. */
  readonly throwAway?: boolean;
  /** Rows that go to new tables are synced when their transaction ends, and not written to the log as well. */
  readonly bulkLoad?: boolean;
}

/**
 * Server settings, given on the command line at each start so that a new release can change them. Errors are logged
 * without the statement and without row values: the server's log must not hold what tenants store.
 */
export function serverSettings(
  socketDir: string,
  { throwAway = false, bulkLoad = false }: ServerUse,
): Record<string, string> {
  return {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: '200',
    shared_buffers: `${memoryShareMib(1 / 8, 64, 1024)}MB`,
    effective_cache_size: `${memoryShareMib(1 / 2, 128, 65_536)}MB`,
    work_mem: '16MB',
    maintenance_work_mem: `${memoryShareMib(1 / 32, 32, 256)}MB`,
    max_wal_size: '2GB',
    min_wal_size: '128MB',
    wal_compression: 'on',
    // A segment that is used again holds the bytes of what it was used for before: an erasure would leave them.
    wal_recycle: 'off',
    checkpoint_timeout: '15min',
    random_page_cost: '1.1',
    jit: 'off',
    autovacuum_naptime: '15s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    logging_collector: 'on',
    log_filename: 'postgresql-%a.log',
    log_truncate_on_rotation: 'on',
    log_rotation_size: '0',
    log_checkpoints: 'off',
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...(throwAway && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
    ...(bulkLoad && { wal_level: 'minimal', max_wal_senders: '0' }),
  };
}
