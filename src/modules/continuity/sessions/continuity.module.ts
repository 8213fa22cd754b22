import { Module } from '@nestjs/common';
import { CitationsModule } from '../../knowledge/citations/citations.module.js';
import { PassagePlacesModule } from '../../knowledge/passages/passage-places.module.js';
import { WatchesModule } from '../watches/watches.module.js';
import { AgentsListService } from './agents-list.service.js';
import { AgentsListViews } from './agents-list.views.js';
import { ChangeTextsService } from './changes/change-texts.service.js';
import { ChangesController } from './changes/changes.controller.js';
import { ChangesService } from './changes/changes.service.js';
import { ChangesViews } from './changes/changes.views.js';
import { ContinuityController } from './continuity.controller.js';
import { JournalRoutesService } from './journal-routes.service.js';
import { JournalModule } from './journal/journal.module.js';
import { OpenWatchesService } from './open-watches.service.js';
import { PinsService } from './pins.service.js';
import { PrimitivesController } from './primitives.controller.js';
import { PrimitivesService } from './primitives.service.js';
import { PrimitivesStore } from './primitives.store.js';
import { SessionContextService } from './session-context.service.js';
import { StalePinsService } from './stale-pins.service.js';
import { StalePinsStore } from './stale-pins.store.js';

/**
 * The home of an agent: its primitives with their versions, its journal, the pins whose source has changed, and the
 * digest with which a session starts. See docs/continuity.md.
 */
@Module({
  imports: [CitationsModule, JournalModule, PassagePlacesModule, WatchesModule],
  controllers: [PrimitivesController, ContinuityController, ChangesController],
  providers: [
    AgentsListService,
    AgentsListViews,
    ChangeTextsService,
    ChangesService,
    ChangesViews,
    JournalRoutesService,
    OpenWatchesService,
    PinsService,
    PrimitivesService,
    PrimitivesStore,
    SessionContextService,
    StalePinsService,
    StalePinsStore,
  ],
})
export class ContinuityModule {}
