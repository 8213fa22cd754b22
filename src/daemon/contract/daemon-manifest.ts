import { Injectable } from '@nestjs/common';
import { ManifestOf } from '../../common/contract/route-manifest.js';
import type { DaemonRouteRecord } from './daemon-contract.js';

/** Every route of the running daemon. */
@Injectable()
export class DaemonManifest extends ManifestOf<DaemonRouteRecord> {}
