import { readFile, stat } from 'node:fs/promises';
import { getSystemErrorMessage } from 'node:util';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DAEMON_FLAGS } from '../../../common/config/daemon/flag-table.js';
import { flagVariable, isFeature } from '../../../common/config/feature-flags.js';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { DeclaredSystems } from '../../../common/contract/declared-systems.js';
import { LOG, type Log } from '../../../common/observability/log.js';
import { UserError } from '../../../common/user-error.js';
import { readCapabilities, type CapabilitiesContent, type CapabilitiesFault } from './capabilities-file.rules.js';
import type { Capability } from './capabilities.types.js';
import { downstreamOf } from './capability-analyses.rules.js';
import { capabilitiesOf, type FlagKnowledge } from './declared-capabilities.rules.js';
import { TESTED_BY } from './tested-by.js';

const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** All capabilities, by id, and which rest on each. */
export interface Registry {
  byId: ReadonlyMap<string, Capability>;
  downstream: ReadonlyMap<string, readonly string[]>;
}

/**
 * What the product and a user's own systems can do (D45). The product's part is made of the declarations of its apps
 * when it is first asked for; the user's is a file that is read again when it has changed.
 */
@Injectable()
export class CapabilityRegistry implements OnApplicationBootstrap {
  private readonly path: string | undefined;
  private product: Promise<readonly Capability[]> | undefined;
  private current: { stamp: string; registry: Registry } | undefined;
  /** The state of the file that could not be read, so that it is said once. */
  private refused: string | undefined;

  constructor(
    private readonly systems: DeclaredSystems,
    @Inject(SETTINGS) { memory }: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.path = memory.capabilitiesFile;
  }

  /** @throws UserError for a file that is not there, or that says something wrong: nothing starts on it */
  async onApplicationBootstrap(): Promise<void> {
    if (this.path === undefined) return;
    const read = await this.load(this.path);
    if ('faults' in read) throw new UserError(saying(this.path, read.faults));
  }

  /** A file that became wrong after the start does not count: what it said before still holds. */
  async read(): Promise<Registry> {
    if (this.path === undefined) return (this.current ??= await this.withoutFile()).registry;
    const stamp = await stampOf(this.path);
    if (this.current?.stamp === stamp || (this.current && this.refused === stamp)) return this.current.registry;
    const read = await this.load(this.path);
    if ('registry' in read) return read.registry;
    this.refused = stamp;
    this.log.warn({ faults: read.faults.slice(0, 10) }, 'SVCD_CAPABILITIES_FILE is wrong; what it said before holds');
    return (this.current ??= await this.withoutFile()).registry;
  }

  private async withoutFile(): Promise<{ stamp: string; registry: Registry }> {
    return { stamp: '', registry: registryOf(await this.ownCapabilities(), { capabilities: [], additions: [] }) };
  }

  private async load(path: string): Promise<{ registry: Registry } | { faults: CapabilitiesFault[] }> {
    const stamp = await stampOf(path);
    const product = await this.ownCapabilities();
    const text = await textOf(path);
    if (typeof text !== 'string') return { faults: [text] };
    const read = readCapabilities(text, new Set(product.map(({ id }) => id)));
    if ('faults' in read) return read;
    const registry = registryOf(product, read.content);
    this.current = { stamp, registry };
    this.refused = undefined;
    return { registry };
  }

  private ownCapabilities(): Promise<readonly Capability[]> {
    this.product ??= this.systems.read().then((systems) => capabilitiesOf(systems, FLAGS, (id) => TESTED_BY[id] ?? []));
    return this.product;
  }
}

const FLAGS: FlagKnowledge = {
  variableOf: flagVariable,
  isOnByDefault: (flag) => isFeature(flag) || DAEMON_FLAGS[flag].schema.parse(undefined) === true,
};

function registryOf(product: readonly Capability[], { capabilities, additions }: CapabilitiesContent): Registry {
  const added = new Map(additions.map((one) => [one.id, one]));
  const own = product.map((one) => {
    const { promises = [], tests = [] } = added.get(one.id) ?? {};
    return { ...one, promises: [...one.promises, ...promises], tests: [...new Set([...one.tests, ...tests])] };
  });
  const all = [...own, ...capabilities].sort((a, b) => (a.id < b.id ? -1 : 1));
  return { byId: new Map(all.map((one) => [one.id, one])), downstream: downstreamOf(all) };
}

/** Changes with the file: a new one in its place has another number. */
async function stampOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs } = await stat(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return 'none';
  }
}

async function textOf(path: string): Promise<string | CapabilitiesFault> {
  try {
    const bytes = await readFile(path);
    if (bytes.length > MAX_FILE_BYTES) return { member: '', message: `is larger than ${MAX_FILE_BYTES} bytes` };
    return bytes.toString('utf8');
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException;
    return {
      member: '',
      message: `cannot be read: ${errno === undefined ? String(error) : getSystemErrorMessage(errno)}`,
    };
  }
}

const saying = (path: string, faults: readonly CapabilitiesFault[]): string =>
  [
    `SVCD_CAPABILITIES_FILE=${path}:`,
    ...faults.slice(0, 20).map(({ member, message }) => `  ${member === '' ? 'the file' : member} ${message}`),
    'Mend it, or unset SVCD_CAPABILITIES_FILE; docs/capabilities.md has its form',
  ].join('\n');
