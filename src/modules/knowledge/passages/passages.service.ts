import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { SourceStatesService } from '../citations/source-states.service.js';
import { PassagePlacesService } from './passage-places.service.js';
import type { PassageRead } from './passages.dto.js';
import { PassageUnknown } from './passages.problems.js';
import type { NamedPassage } from './passages.types.js';
import { ReadablePassagesViews } from './readable-passages.views.js';

/** Reads one passage with its neighbours. */
@Injectable()
export class PassagesService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly passages: ReadablePassagesViews,
    private readonly places: PassagePlacesService,
    private readonly states: SourceStatesService,
  ) {}

  /** @throws PassageUnknown */
  read({ tenantId }: TenantCaller, chunkId: string, around: number): Promise<PassageRead> {
    return this.tenancy.run(tenantId, async () => {
      const passage = (await this.passages.find([chunkId])).get(chunkId);
      if (!passage) throw unknown(chunkId);
      const { ownerTenantId, ordinal, contentHash, location, ...shown } = passage;
      const [now] = await this.states.look([{ ...passage, contentHash: `blake3:${contentHash}` }]);
      const isNewest = now!.version === passage.version;
      const [standing] = isNewest ? [null] : await this.places.find([{ passage, version: null }]);
      const neighbours = around === 0 ? [] : await this.passages.findAround(passage, around);
      return {
        ...shown,
        ...(location ? { location } : {}),
        source: ownerTenantId === tenantId ? 'tenant' : 'commons',
        newestVersion: now!.version ?? passage.version,
        current: now!.state === 'holds',
        position: ordinal,
        before: neighbours.filter((one) => one.ordinal < ordinal).map(textOf),
        after: neighbours.filter((one) => one.ordinal > ordinal).map(textOf),
        replacedBy: standing!,
      };
    });
  }
}

const textOf = ({ chunkId, content }: NamedPassage): NamedPassage => ({ chunkId, content });

const unknown = (chunkId: string): PassageUnknown =>
  new PassageUnknown(
    { chunkId },
    `No passage ${chunkId} is there for this tenant: its document may be deleted, set aside or not shared any more. POST /v1/retrieve finds passages`,
  );
