import { totalmem } from 'node:os';
import { SOCKET_PORT } from './cluster-home.js';

const MIB = 1024 * 1024;

/** Memory this process may use, in MiB: the container's limit where there is one. */
function availableMib(): number {
  const limit = process.constrainedMemory();
  return Math.floor((limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / MIB);
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, Math.floor(value)));
}

/**
 * Server settings, given on the command line at each start so that a new release can change them. Errors are logged
 * without the statement and without row values: the server's log must not hold what tenants store.
 */
export function serverSettings(socketDir: string, durable: boolean): Record<string, string> {
  const memory = availableMib();
  return {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    unix_socket_directories: socketDir,
    unix_socket_permissions: '0700',
    max_connections: '200',
    shared_buffers: `${clamp(memory / 8, 64, 1024)}MB`,
    effective_cache_size: `${clamp(memory / 2, 128, 65_536)}MB`,
    work_mem: '16MB',
    maintenance_work_mem: `${clamp(memory / 32, 32, 256)}MB`,
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
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  };
}
