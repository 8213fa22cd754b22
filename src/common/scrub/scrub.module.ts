import { Module } from '@nestjs/common';
import { ScrubSweep } from './scrub.sweep.js';

/** The rewriting of files after a removal, so that no bytes of it are left in the database's directory. */
@Module({ providers: [ScrubSweep], exports: [ScrubSweep] })
export class ScrubModule {}
