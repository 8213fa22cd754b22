import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { countTokens } from '../../../common/tokens/tokenizer.js';
import { MemoryMeaningService } from '../vectors/memory-meaning.service.js';
import { EngramFilesService } from './engram-files.service.js';
import { applicable, refusalOf } from './engram-match.rules.js';
import type { Applicable, CapabilityClass, Engram, ModelClasses } from './engrams.types.js';
import { EngramsStore } from './engrams.store.js';
import { classOf, modelClassesOf } from './model-classes.rules.js';

/** Engrams of a tenant that are looked at where nobody names any. */
const MAX_CATALOG = 1000;
/** How many of the nearest are looked at. */
const NEAREST = 100;

/** What an assembly wants engrams for. */
export interface WantedFor {
  task?: string;
  /** As findNear gave it. */
  near?: ReadonlyMap<string, number>;
  modelId?: string;
  /** These alone; what is not there is left out. */
  names?: string[];
  limit: number;
}

/** An engram to be put into a context as a whole. */
export interface FoundEngram {
  name: string;
  version: number;
  content: string;
  tokens: number;
  hash: string;
  why: string;
}

/** The engrams of a tenant: its entities, and the files whose names none of them has. */
@Injectable()
export class EngramReadsService {
  private readonly classes: ModelClasses;

  constructor(
    @Inject(SETTINGS) { memory }: Settings,
    private readonly store: EngramsStore,
    private readonly files: EngramFilesService,
    private readonly meaning: MemoryMeaningService,
    private readonly tenancy: Tenancy,
  ) {
    this.classes = modelClassesOf(memory.modelClasses);
  }

  /**
   * In the open unit of work, of its tenant; whoever asks may read what is in it. The most fitting first; where names
   * are given, in their order.
   */
  async findFor({ task, near, modelId, names, limit }: WantedFor): Promise<FoundEngram[]> {
    const modelClass = modelId === undefined ? undefined : this.classOf(modelId);
    const found = names
      ? (await this.listNamed(names, modelClass)).slice(0, limit)
      : applicable(await this.list(), { task, modelClass, near }).slice(0, limit);
    return Promise.all(found.map(foundOf));
  }

  /**
   * The engrams that are near to a text in meaning, by name. Outside of any unit of work. Files have no vectors: they
   * are found by their words.
   */
  async findNear(tenantId: string, text: string): Promise<Map<string, number>> {
    const near = await this.meaning.findNear(tenantId, 'engram', text, NEAREST);
    if (near.length === 0) return new Map();
    const names = await this.tenancy.run(tenantId, () => this.store.namesOf(near.map(({ itemId }) => itemId)));
    return new Map(
      near.flatMap(({ itemId, part }) => {
        const name = names.get(itemId);
        return name === undefined ? [] : [[name, part] as const];
      }),
    );
  }

  classOf(modelId: string | undefined): CapabilityClass {
    return classOf(modelId, this.classes);
  }

  /** In the open unit of work. By name, switched off ones too. @param names undefined: all, up to a bound */
  async list(names?: readonly string[]): Promise<Engram[]> {
    const own = await this.store.list({ names, limit: names?.length ?? MAX_CATALOG });
    const files = await this.listFiles(names);
    return [...own, ...files].sort(byName);
  }

  /** In the open unit of work. The files that no entity of the tenant hides. */
  async listFiles(names?: readonly string[]): Promise<Engram[]> {
    const files = (await this.files.list()).filter(({ name }) => !names || names.includes(name));
    if (files.length === 0) return [];
    const hidden = await this.store.known(files.map(({ name }) => name));
    return files.filter(({ name }) => !hidden.has(name));
  }

  /** In the open unit of work. The versions that a label points at, by name. */
  listLabelled(label: string, names?: readonly string[]): Promise<Engram[]> {
    return this.store.listLabelled(label, { names, limit: names?.length ?? MAX_CATALOG });
  }

  private async listNamed(names: string[], modelClass: CapabilityClass | undefined): Promise<Applicable[]> {
    const byTheirName = new Map((await this.list(names)).map((engram) => [engram.name, engram]));
    return [...new Set(names)].flatMap((name) => {
      const engram = byTheirName.get(name);
      return engram && refusalOf(engram, modelClass) === undefined ? [{ engram, why: 'it was named' }] : [];
    });
  }
}

const byName = (a: Engram, b: Engram): number => (a.name < b.name ? -1 : 1);

const foundOf = async ({ engram, why }: Applicable): Promise<FoundEngram> => {
  const { name, version, content, hash } = engram;
  return { name, version, content, tokens: await countTokens(content), hash, why };
};
