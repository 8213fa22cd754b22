import { Injectable } from '@nestjs/common';
import type { BuildFeature } from '../config/setting.js';
import { RouteManifest } from '../contract/route-manifest.js';
import { longestMatch } from './path-pattern.js';
import { CLASSIFIED_PATHS } from './route-class.js';

/** What a plane that is not built says of itself. */
export interface UnbuiltPlane {
  detail: string;
  /** The variable that brings it, where there is one. */
  flag?: string;
}

/**
 * The planes of the specification of which this version has no route: every path of route-auth that no declared route
 * is under. What is no route within a plane that is built belongs to none.
 */
@Injectable()
export class UnbuiltPlanes {
  private built: ReadonlySet<string | undefined> | undefined;

  constructor(private readonly manifest: RouteManifest) {}

  /** @param path of an address that no route is at */
  find(path: string): UnbuiltPlane | undefined {
    const feature = FEATURES.find(({ paths }) => longestMatch(paths, path) !== undefined);
    if (feature && !this.builtPatterns().has(longestMatch(CLASSIFIED_PATHS, path))) return unbuiltFeature(feature.name);
    const pattern = longestMatch(CLASSIFIED_PATHS, path);
    if (pattern === undefined || this.builtPatterns().has(pattern)) return undefined;
    return {
      detail: `This address, of ${pattern}, is not built in this version; /docs has the addresses that this server answers`,
    };
  }

  /** Read when it is first asked for: the manifest is complete once the app has started. */
  private builtPatterns(): ReadonlySet<string | undefined> {
    this.built ??= new Set(this.manifest.routes.map(({ path }) => longestMatch(CLASSIFIED_PATHS, path)));
    return this.built;
  }
}

/** Build features that bring routes of their own. */
const FEATURES: readonly { name: BuildFeature; paths: readonly string[] }[] = [
  { name: 'hosted-surfaces', paths: ['/v1/cloud/*', '/v1/gpu1/*'] },
];

const unbuiltFeature = (name: BuildFeature): UnbuiltPlane => ({
  flag: 'SVC_BUILD_FEATURES',
  detail: `This is not built in this version of the daemon; set SVC_BUILD_FEATURES=${name} and start it again`,
});
