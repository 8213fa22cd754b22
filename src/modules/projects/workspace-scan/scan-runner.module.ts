import { Module } from '@nestjs/common';
import { ScanQueue } from './scan-queue.js';
import { ScanRunner } from './scan-runner.js';
import { ScannedFilesStore } from './scanned-files.store.js';
import { SymbolsPool } from './symbols/symbols.pool.js';
import { WalkThread } from './walk-thread.js';
import { WorkspaceScansStore } from './workspace-scans.store.js';

/** Does the scans, in processes that work on jobs. See docs/context-graph.md. */
@Module({ providers: [ScanQueue, ScanRunner, WorkspaceScansStore, ScannedFilesStore, SymbolsPool, WalkThread] })
export class ScanRunnerModule {}
