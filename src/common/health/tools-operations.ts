import type { OperatedApp } from './operations.module.js';
import { ToolsChecks } from './tools.checks.js';

export const TOOLS_OPERATIONS: OperatedApp = { service: 'tools', checks: ToolsChecks };
