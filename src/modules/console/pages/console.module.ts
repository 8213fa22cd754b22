import { Module } from '@nestjs/common';
import { ConsoleController } from './console.controller.js';

/** The console of those who run the daemon: for now the one page that shows what it is and whether it is ready. */
@Module({ controllers: [ConsoleController] })
export class ConsoleModule {}
