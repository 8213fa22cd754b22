import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { declaredRoute } from '../contract/contract.js';
import { shieldCallOf } from './shield-call.js';
import { ShieldPipeline } from './shield-pipeline.js';
import { ToolCallSigner } from './tool-call-signer.js';

/**
 * Asks the shield before a call that changes nothing: an in-memory check, unless something may stop it. A tool's call
 * was decided on earlier.
 */
@Injectable()
export class ShieldReadGuard implements CanActivate {
  constructor(
    private readonly pipeline: ShieldPipeline,
    private readonly signer: ToolCallSigner,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = declaredRoute(request);
    if (this.signer.of(request)?.decisionId !== undefined) return true;
    const asked = this.pipeline.admitRead(shieldCallOf(request, route));
    return asked === undefined ? true : asked.then(() => true);
  }
}
