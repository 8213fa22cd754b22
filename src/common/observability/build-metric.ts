import { readBuild } from '../build-info.js';
import type { Metrics } from './metrics.js';

/**
 * What runs, as labels of a gauge that is always 1: others are joined to it, `* on (instance, process) group_left
 * (app)`.
 */
export function showBuild(metrics: Metrics, app: 'api' | 'tools' | 'daemon'): void {
  const { version, commit } = readBuild();
  const labels = { version, commit: commit ?? 'unknown', node: process.versions.node, app };
  metrics
    .gauge('svc_build_info', 'What runs, by version, commit and Node.js.', ['version', 'commit', 'node', 'app'])
    .set(labels, 1);
}
