import { ApiChecks } from './api.checks.js';
import type { OperatedApp } from './operations.module.js';
import { QueueDepths } from './queue-depths.js';

export const API_OPERATIONS: OperatedApp = { service: 'api', checks: ApiChecks, providers: [QueueDepths] };
