import { Module } from '@nestjs/common';
import { OpenaiShimController } from './openai-shim.controller.js';
import { OpenaiShimService } from './openai-shim.service.js';

/** The daemon's tools as functions of OpenAI's APIs (memory-daemon.md 4.12; D46). */
@Module({ controllers: [OpenaiShimController], providers: [OpenaiShimService] })
export class OpenaiShimModule {}
