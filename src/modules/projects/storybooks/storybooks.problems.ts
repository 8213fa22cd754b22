import { problem } from '../../../common/problem/problem.js';

/** None was generated, or none at that time. */
export class StorybookUnknown extends problem<{ project_id: string; generated_at_unix_ms: number | null }>(
  404,
  'StorybookUnknown',
  'The project has no such storybook',
) {}
