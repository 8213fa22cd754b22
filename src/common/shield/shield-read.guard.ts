import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ROUTE, type RouteRecord } from '../contract/contract.js';
import { shieldCallOf } from './shield-call.js';
import { ShieldPipeline } from './shield-pipeline.js';
import { ToolCallSeal } from './tool-call-seal.js';

/** Asks the shield before a call that changes nothing: a look into memory, unless something may stop it. That of a tool was decided on before it came here. */
@Injectable()
export class ShieldReadGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly pipeline: ShieldPipeline,
    private readonly seals: ToolCallSeal,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const route = this.reflector.get<RouteRecord>(ROUTE, context.getHandler());
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (this.seals.of(request)?.decisionId !== undefined) return true;
    const asked = this.pipeline.admitRead(shieldCallOf(request, route));
    return asked === undefined ? true : asked.then(() => true);
  }
}
