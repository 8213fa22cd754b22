import { Module, type DynamicModule } from '@nestjs/common';
import { AUTHENTICATOR, type Authenticator } from '../../daemon/auth/authenticator.js';
import { AuthController } from './auth.controller.js';
import { AuthService } from './auth.service.js';

/** What the daemon says of credentials: which it takes, and with which keys its evidence is verified. Nobody needs one to ask. */
@Module({})
export class AuthModule {
  static of(authenticator: Authenticator): DynamicModule {
    const providers = [AuthService, { provide: AUTHENTICATOR, useValue: authenticator }];
    return { module: AuthModule, controllers: [AuthController], providers };
  }
}
