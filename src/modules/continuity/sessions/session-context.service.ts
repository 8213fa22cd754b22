import { Injectable } from '@nestjs/common';
import type { TenantCaller } from '../../../common/contract/caller.js';
import { Tenancy } from '../../../common/tenancy/tenancy.js';
import { countTokensWithin, ENCODING } from '../../../common/tokens/tokenizer.js';
import type { OpenWatch, Primitive, StalePin } from './continuity.types.js';
import { recordOf as entryRecordOf } from './journal-routes.service.js';
import { HomesStore } from './journal/homes.store.js';
import { JournalService } from './journal/journal.service.js';
import type { JournalEntry } from './journal/journal.types.js';
import { OpenWatchesService } from './open-watches.service.js';
import { recordOf as primitiveRecordOf } from './primitives.service.js';
import { PrimitivesStore } from './primitives.store.js';
import type { SessionContext } from './session-context.dto.js';
import {
  fill,
  lineOfEntry,
  lineOfPrimitive,
  lineOfStalePin,
  lineOfWatch,
  type Section,
} from './session-context.rules.js';
import { recordOf as stalePinRecordOf, StalePinsService } from './stale-pins.service.js';

/** How many of each are looked at: more would not fit into the largest budget, or not be read. */
const LOOKED_AT = { primitives: 500, stalePins: 100, journal: 200 };

interface Home {
  primitives: Primitive[];
  stalePins: StalePin[];
  watches: OpenWatch[];
  journal: JournalEntry[];
  totals: { primitives: number; stalePins: number; journal: number };
}

const NOTHING = { primitives: [], stalePins: [], journal: [], totals: { primitives: 0, stalePins: 0, journal: 0 } };

/** The digest with which an agent starts a session. The same home and budget always make the same digest. */
@Injectable()
export class SessionContextService {
  constructor(
    private readonly tenancy: Tenancy,
    private readonly homes: HomesStore,
    private readonly primitives: PrimitivesStore,
    private readonly stalePins: StalePinsService,
    private readonly journal: JournalService,
    private readonly watches: OpenWatchesService,
  ) {}

  async make(caller: TenantCaller, agentId: string, budget: number): Promise<SessionContext> {
    const home = await this.tenancy.run(caller.tenantId, () => this.read(caller, agentId));
    const { taken, text, tokens } = await fill(sectionsOf(home), budget, countTokensWithin);
    const [primitives, stalePins, watches, journal] = taken as [number[], number[], number[], number[]];
    return {
      agentId,
      tokenBudget: budget,
      tokensUsed: tokens,
      encoding: ENCODING,
      text,
      primitives: primitives.map((index) => primitiveRecordOf(agentId, home.primitives[index]!, caller.tenantId)),
      stale_pins: stalePins.map((index) => stalePinRecordOf(home.stalePins[index]!)),
      watches: watches.map((index) => home.watches[index]!),
      journal: journal.map((index) => entryRecordOf(home.journal[index]!)),
      omitted: {
        primitives: home.totals.primitives - primitives.length,
        stale_pins: home.totals.stalePins - stalePins.length,
        watches: home.watches.length - watches.length,
        journal: home.totals.journal - journal.length,
      },
    };
  }

  private async read(caller: TenantCaller, agentId: string): Promise<Home> {
    // Watches belong to another module: an agent may have some before anything is written into its home.
    const watches = await this.watches.find(caller, agentId);
    const homeId = await this.homes.find(agentId);
    if (homeId === undefined) return { ...NOTHING, watches };
    const { primitives, total } = await this.primitives.findInForce(homeId, LOOKED_AT.primitives);
    const stalePins = await this.stalePins.find(homeId, undefined, LOOKED_AT.stalePins);
    const journal = await this.journal.find(agentId, {}, { newestFirst: true, limit: LOOKED_AT.journal });
    return {
      primitives,
      stalePins,
      watches,
      journal,
      totals: {
        primitives: total,
        stalePins: stalePins.length < LOOKED_AT.stalePins ? stalePins.length : await this.stalePins.count(homeId),
        // The newest number is how many there are: they have no gaps.
        journal: journal[0]?.seq ?? 0,
      },
    };
  }
}

const sectionsOf = ({ primitives, stalePins, watches, journal }: Home): Section[] => [
  { heading: '## Goals, constraints, preferences, skills\n', units: primitives.map(lineOfPrimitive), share: 50 },
  { heading: '## Pins whose source has changed\n', units: stalePins.map(lineOfStalePin), share: 15 },
  { heading: '## Open watches\n', units: watches.map(lineOfWatch), share: 15 },
  { heading: '## Journal, newest first\n', units: journal.map(lineOfEntry), share: 20 },
];
