import { Module } from '@nestjs/common';
import { ConsoleApiModule } from '../api/console-api.module.js';
import { ConsoleAnswers } from './console-answers.service.js';
import { ConsoleConfigService } from './console-config.service.js';
import { ConsoleController } from './console.controller.js';
import { ConsoleFiles } from './console-files.js';
import { ConsoleSlash } from './console-slash.js';

/** The console of operators and of the people of a tenant: the files of the app, and how to sign in. */
@Module({
  imports: [ConsoleApiModule],
  controllers: [ConsoleController],
  providers: [ConsoleFiles, ConsoleAnswers, ConsoleConfigService, ConsoleSlash],
})
export class ConsoleModule {}
