import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { NotBuilt } from '../common/problem/daemon-problems.js';
import { UnbuiltPlanes } from '../common/route-auth/unbuilt-planes.js';

/** What the addresses of planes that are not built answer, once flag and route-auth let the request pass. */
@Injectable()
export class NotBuiltGuard implements CanActivate {
  constructor(private readonly planes: UnbuiltPlanes) {}

  /** @throws NotBuilt */
  canActivate(context: ExecutionContext): boolean {
    const { is404, url } = context.switchToHttp().getRequest<FastifyRequest>();
    const plane = is404 ? this.planes.find(url.split('?', 1)[0]!) : undefined;
    if (!plane) return true;
    const { detail, ...facts } = plane;
    throw new NotBuilt(facts, detail);
  }
}
