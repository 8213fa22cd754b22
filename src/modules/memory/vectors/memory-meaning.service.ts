import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../../../common/config/settings.js';
import { nearnessOf } from '../../../search/nearness.js';
import { MemoryNearestService } from './memory-nearest.service.js';
import type { NearItem, NearPart } from './memory-vectors.types.js';

/** What everybody of a tenant may see of its memory, by meaning: cases, engrams, candidates. */
@Injectable()
export class MemoryMeaningService {
  private readonly weight: number;

  constructor(
    private readonly nearest: MemoryNearestService,
    @Inject(SETTINGS) { retrieval }: Settings,
  ) {
    this.weight = retrieval.vectorWeight;
  }

  /**
   * The items near to a text, nearest first. Outside of any unit of work, since the endpoint is asked. None without an
   * endpoint, or while it fails.
   * @param most how many of the nearest are looked at
   */
  async findNear(tenantId: string, kind: string, text: string, most: number): Promise<NearPart[]> {
    if (this.weight === 0 || text.trim() === '') return [];
    const vector = await this.nearest.embedQuery(text);
    if (!vector) return [];
    const reader = { tenantId, principal: '', seesAll: false, withReserved: false };
    const near: NearItem[] = [];
    for await (const block of this.nearest.find(reader, kind, vector)) {
      near.push(...block);
      if (near.length >= most) break;
    }
    const nearness = nearnessOf(near.map(({ similarity }) => similarity));
    return near.map(({ itemId }, place) => ({ itemId, part: this.weight * nearness[place]! }));
  }
}
