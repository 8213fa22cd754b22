export { SvcClient, type SvcOptions, type TenantEvent } from './svc-client.js';
export { SvcProblem, type ProblemIssue } from './problem.js';
export { ToolFailure } from './tool-failure.js';
export { itemsOf, pagesOf, type Page } from './pages.js';
export type { StreamedEvent, StreamOptions } from './events.js';
export type { RetryOptions } from './sending.js';
export type * as Api from './generated/api/types.gen.js';
export type * as Daemon from './generated/daemon/types.gen.js';
export type * as Tools from './generated/tools/types.gen.js';
