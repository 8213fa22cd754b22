import { Module } from '@nestjs/common';
import { LeasesModule } from '../leases/leases.module.js';
import { PunchcardChecksService } from './punchcard-checks.service.js';
import { PunchcardReleasesService } from './punchcard-releases.service.js';
import { PunchcardsController } from './punchcards.controller.js';
import { PunchcardsService } from './punchcards.service.js';

/**
 * Punchcards: leases of paths, by which agents and people keep off each other's work in a repository (memory-daemon.md
 * 4.9; D61). `svc hook` asks them before each commit and push.
 */
@Module({
  imports: [LeasesModule],
  controllers: [PunchcardsController],
  providers: [PunchcardsService, PunchcardReleasesService, PunchcardChecksService],
})
export class PunchcardsModule {}
