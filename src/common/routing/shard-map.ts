import { readFile, stat } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { SETTINGS, type Settings } from '../config/settings.js';

/** Which shard each tenant is on. There is one database to a process, so every shard is the local one. */
export interface Routing {
  source: 'built in' | 'file';
  localShard: string;
  defaultShard: string;
  /** Tenants that the map names. */
  tenants: number;
}

const MAX_BYTES = 16 * 1024 * 1024;
const name = z.string().min(1).max(120);
const MAP = z.strictObject({ local_shard: name, default_shard: name, tenants: z.record(name, name).default({}) });

const BUILT_IN: Routing = { source: 'built in', localShard: 'main', defaultShard: 'main', tenants: 0 };

/** The map of SVCD_SHARD_MAP_FILE, read again whenever the file changes; docs/readiness.md has its format. */
@Injectable()
export class ShardMap {
  private readonly file: string | undefined;
  private read: { version: string; routing: Routing } | undefined;

  constructor(@Inject(SETTINGS) { daemon }: Settings) {
    this.file = daemon.shardMapFile;
  }

  /** @throws Error saying what is wrong with the file; it names no tenant */
  async load(): Promise<Routing> {
    if (this.file === undefined) return BUILT_IN;
    const { size, mtimeMs, ino } = await stat(this.file).catch((error: Error) => {
      throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? error.message}`);
    });
    const version = [ino, size, mtimeMs].join();
    if (this.read?.version === version) return this.read.routing;
    if (size > MAX_BYTES) throw new Error(`is larger than ${MAX_BYTES / 1024 ** 2} MiB`);
    const routing = routingOf(await readFile(this.file, 'utf8'));
    this.read = { version, routing };
    return routing;
  }
}

function routingOf(text: string): Routing {
  const { local_shard, default_shard, tenants } = parse(text);
  const elsewhere = Object.values(tenants).filter((shard) => shard !== local_shard);
  if (default_shard !== local_shard) elsewhere.push(default_shard);
  if (elsewhere.length > 0)
    throw new Error(
      `maps to ${[...new Set(elsewhere)].slice(0, 3).join(', ')}, while this daemon has the shard ${local_shard} alone`,
    );
  return {
    source: 'file',
    localShard: local_shard,
    defaultShard: default_shard,
    tenants: Object.keys(tenants).length,
  };
}

function parse(text: string): z.infer<typeof MAP> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('is not JSON');
  }
  const { data, error } = MAP.safeParse(value);
  if (data) return data;
  const { path, message } = error.issues[0]!;
  const [member] = path;
  throw new Error(`does not fit at ${member === undefined ? 'its top' : String(member)}: ${message}`);
}
