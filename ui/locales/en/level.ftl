# What an approval or a permission takes besides the act, where it has to be surer: told before it, and while it is waited for.
level-needs = { $level ->
    [L2] This takes your system’s password or finger, in the system’s own prompt (L2).
   *[other] This takes a touch of your security key (L3).
}
level-nothing = This needs a confirmation by the system or a security key, and nothing here gives one.
level-no-key = This needs a security key; none is enrolled. Settings → Security keys.
level-no-program = This needs a security key, and { $program } isn’t there: install OpenSSH and start Review Gate again, or add a key on its page in a browser.
level-page-key = Your security key works on the gate’s page in the browser, { $page }: approve there.
level-key-elsewhere = Your security key was added on the page at { $page }, and the gate’s page isn’t there now. Settings → Security keys.
level-open-localhost = Security keys work on the page at { $page } only: open it there (review-gate link).
level-no-webauthn = This browser can’t ask security keys (WebAuthn): open the page in one that can.
level-service-absent = This needs your system’s password or finger, and the service that asks for it isn’t installed: sudo review-gated install. A security key does, too: Settings → Security keys.
level-service-silent = This needs your system’s password or finger, and the service that asks for it, review-gated, doesn’t answer: review-gated status says more.
level-service-version = This needs your system’s password or finger, and the service that asks for it is of another version: sudo review-gated install.
level-service-root = This needs your system’s password or finger, and of root the system asks neither: run Review Gate as yourself.
level-service-polkit = This needs your system’s password or finger, and polkit, which asks for it, isn’t there or doesn’t know what to ask: review-gated status says what is missing.
level-service-rule = This needs your system’s password or finger, and a rule of polkit’s keeps it from asking: look for org.reviewgate.confirm in /etc/polkit-1/rules.d.
level-waits = { $level ->
    [L2] Confirm it in the system’s prompt…
   *[other] Touch your security key…
}
level-digits = Confirm it in the system’s prompt only if that shows these digits: { $digits }
level-cancel = Cancel
