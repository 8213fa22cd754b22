#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { run } = await import('./cli/run.js');
await run(process.argv);
