import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { useLocation } from 'wouter';
import { useId, type ReactNode } from 'react';
import { useWhyNot, type Right } from '../client/rights.ts';

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className'> {
  /** `primary`: the one thing to do on a screen; `danger`: what cannot be undone. */
  look?: 'primary' | 'plain' | 'danger' | 'quiet';
  children: ReactNode;
  /** A key that does the same, as screens announce it. */
  shortcut?: string;
  /** Who has not this right sees the button, which does nothing, and why. */
  right?: Right | undefined;
}

/**
 * While it is pending, or of who has no right to it, it keeps the focus and does nothing. React Aria's own pending state
 * is not used: it leaves an announcement that names a button which may be gone.
 */
export function Button({
  look = 'plain',
  children,
  shortcut,
  right,
  isPending = false,
  onPress,
  type,
  ...props
}: ButtonProps) {
  const why = useWhyNot(right);
  const whyId = useId();
  const isIdle = isPending || why !== undefined;
  const button = (
    <AriaButton
      {...props}
      className={`button ${look}`}
      type={isIdle ? 'button' : (type ?? 'button')}
      {...(isIdle ? { 'aria-disabled': true, 'data-pending': true } : onPress && { onPress })}
      {...(shortcut ? { 'aria-keyshortcuts': shortcut } : {})}
      {...(why ? { 'aria-describedby': whyId } : {})}
    >
      {children}
      {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
    </AriaButton>
  );
  if (!why) return button;
  return (
    <span className="without-right" title={why}>
      {button}
      <span id={whyId} hidden>
        {why}
      </span>
    </span>
  );
}

/** A link of the console that looks like a button. */
export function LinkButton({ to, look = 'plain', children }: { to: string } & Pick<ButtonProps, 'look' | 'children'>) {
  const [, navigate] = useLocation();
  return (
    <a
      className={`button ${look}`}
      href={`#${to}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}
