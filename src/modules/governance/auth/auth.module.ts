import { Module } from '@nestjs/common';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';

/**
 * What the daemon says of credentials: which it takes, and with which keys its evidence is verified. Nobody needs one
 * to ask.
 */
@Module({ controllers: [AuthController], providers: [AuthService] })
export class AuthModule {}
