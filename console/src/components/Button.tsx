import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { useLocation } from 'wouter';
import type { ReactNode } from 'react';

export interface ButtonProps extends Omit<AriaButtonProps, 'children' | 'className'> {
  /** `primary`: the one thing to do on a screen; `danger`: what cannot be undone. */
  look?: 'primary' | 'plain' | 'danger' | 'quiet';
  children: ReactNode;
  /** A key that does the same, as screens announce it. */
  shortcut?: string;
}

/**
 * While it is pending it keeps the focus and does nothing. React Aria's own pending state is not used: it leaves an
 * announcement that names a button which may be gone.
 */
export function Button({
  look = 'plain',
  children,
  shortcut,
  isPending = false,
  onPress,
  type,
  ...props
}: ButtonProps) {
  return (
    <AriaButton
      {...props}
      className={`button ${look}`}
      type={isPending ? 'button' : (type ?? 'button')}
      {...(isPending ? { 'aria-disabled': true, 'data-pending': true } : onPress && { onPress })}
      {...(shortcut ? { 'aria-keyshortcuts': shortcut } : {})}
    >
      {children}
      {shortcut && <kbd aria-hidden="true">{shortcut}</kbd>}
    </AriaButton>
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
