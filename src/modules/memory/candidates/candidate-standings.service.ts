import { Injectable } from '@nestjs/common';
import type { DaemonCaller } from '../../../common/bearer-auth/daemon-caller.js';
import { TenantResolver } from '../../../guards/tenant-resolver.js';
import { FactReadsService } from '../facts/fact-reads.service.js';
import { readerOf } from '../facts/facts.service.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { CandidateMatchesStore } from './candidate-matches.store.js';
import { compared, contentDigest, nameDigest } from './extraction/extraction.rules.js';
import type { Found } from './extraction/extractor.service.js';
import { type Standing, standingsOf, type Statement } from './standing.rules.js';

/** Who adds candidates or decides on one holds this lock of the tenant until its transaction ends. */
export const LOCK = 'candidates';

/** Statements of one extraction that are searched for word by word in facts, and what each search looks at. */
const MAX_SEARCHED = 16;
const MAX_ALIKE = 3;
/** A search takes no longer query. */
const MAX_QUERY = 2_000;

/** How candidates stand to facts and to each other. */
@Injectable()
export class CandidateStandingsService {
  constructor(
    private readonly tenants: TenantResolver,
    private readonly tenancy: Tenancy,
    private readonly matches: CandidateMatchesStore,
    private readonly facts: FactReadsService,
  ) {}

  /** In the open unit of work. */
  async compare(
    caller: DaemonCaller,
    all: readonly { found: Pick<Found, 'entity' | 'key' | 'value'>; candidateId: string }[],
    exceptFor?: string,
  ): Promise<Standing[]> {
    const named = all.map(({ found, candidateId: id }) => ({
      ...{ id, value: found.value, entity: found.entity, key: found.key },
      ...{ name: nameDigest(found).toString('hex'), content: contentDigest(found).toString('hex') },
    }));
    const facts = await this.matches.findFacts(readerOf(caller, this.tenancy.tenant), named);
    const pending = await this.matches.findPending(named, exceptFor);
    const known = new Map<string, Statement[]>();
    for (const one of [...facts, ...pending]) known.set(one.name, [...(known.get(one.name) ?? []), one]);
    return standingsOf(named, known);
  }

  /** Facts that hold a whole sentence as their value: what was recalled and is said again. @returns their ids */
  async findSaid(caller: DaemonCaller, found: readonly Found[]): Promise<Map<Found, string>> {
    const reader = readerOf(caller, await this.tenants.enter(caller));
    const said = new Map<Found, string>();
    for (const one of found.slice(0, MAX_SEARCHED)) {
      const query = one.evidence.quote;
      if (query.length > MAX_QUERY) continue;
      const alike = await this.facts.best(reader, { filter: {}, query, limit: MAX_ALIKE });
      const same = alike.find(({ value }) => compared(value) === compared(query));
      if (same) said.set(one, same.fact_id);
    }
    return said;
  }
}
