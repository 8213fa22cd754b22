import { Injectable } from '@nestjs/common';
import { blake3Digest, namedDigest } from '../../../evidence/digest.js';
import { PassageCorrupted } from './retrieval.problems.js';
import type { Lane, Passage, Search } from './retrieval.types.js';
import { type SearchOutcome, SearchService } from './search.service.js';

/** Searches as a lane does, and leaves no trace: what a retrieval is made of, and what proofs and replays repeat. */
@Injectable()
export class LaneSearchService {
  constructor(private readonly searches: SearchService) {}

  /**
   * Verified and audit check every passage against its hash.
   * @throws PassageCorrupted, IndexCorrupted, ServiceUnavailable
   */
  async search(reader: string, search: Search, lane: Lane): Promise<SearchOutcome> {
    const outcome = await this.searches.search(reader, search, {
      isExpanded: lane === 'verified',
      isExhaustive: lane === 'audit',
    });
    if (lane !== 'light') outcome.passages.forEach(checkHash);
    return outcome;
  }
}

/** @throws PassageCorrupted when the text is not the one that was indexed */
function checkHash({ chunkId, content, contentHash }: Passage): void {
  if (blake3Digest(content) === namedDigest('blake3', contentHash)) return;
  throw new PassageCorrupted({ chunkId }, 'The stored text of this passage does not have the hash it was indexed with');
}
