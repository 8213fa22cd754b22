import { Module } from '@nestjs/common';
import { WatchNames } from './watch-names.js';
import { WatchStateService } from './watch-state.service.js';
import { WatchesStore } from './watches.store.js';

/** What the tools process needs of watches: the state that a call without a key rests on. No routes and no workers. */
@Module({ providers: [WatchStateService, WatchesStore, WatchNames], exports: [WatchStateService] })
export class WatchStateModule {}
