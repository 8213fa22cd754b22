import { Module } from '@nestjs/common';
import { ExtensionCallsService } from './extension-calls.service.js';
import { ExtensionThreads } from './extension-threads.js';
import { ExtensionWindowsStore } from './extension-windows.store.js';
import { ExtensionWindowsSweep } from './extension-windows.sweep.js';
import { ExtensionsController } from './extensions.controller.js';
import { ExtensionsService } from './extensions.service.js';

/**
 * Extensions of a tenant: WebAssembly modules that run in threads with limits, and tools of the server with arguments
 * (memory-daemon.md 4.12, 5.3, 8; D71).
 */
@Module({
  controllers: [ExtensionsController],
  providers: [ExtensionsService, ExtensionCallsService, ExtensionThreads, ExtensionWindowsStore, ExtensionWindowsSweep],
})
export class ExtensionsModule {}
