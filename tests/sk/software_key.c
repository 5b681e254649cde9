/* A security key without a device, for the tests: what OpenSSH's ssh-sk-helper loads in the place of a real one
 * (sk-api.h, version 10). Its key handle is the seed of an Ed25519 key. What it does when it is asked to sign stands in
 * the file STATE, which tests write: `touch`, `untouched`, `gone`, `pin` or `wait`. STATE.asked is there once it was asked, and
 * STATE.count says how often it has signed.
 * libcrypto comes with OpenSSH; its headers needn't be there. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ED25519 0x01
#define GENERAL (-1)
#define UNSUPPORTED (-2)
#define PIN_REQUIRED (-3)
#define NOT_FOUND (-4)
#define SEED 32
#define SIGNATURE 64

struct sk_enroll_response {
    uint8_t flags;
    uint8_t *public_key;
    size_t public_key_len;
    uint8_t *key_handle;
    size_t key_handle_len;
    uint8_t *signature;
    size_t signature_len;
    uint8_t *attestation_cert;
    size_t attestation_cert_len;
    uint8_t *authdata;
    size_t authdata_len;
};

struct sk_sign_response {
    uint8_t flags;
    uint32_t counter;
    uint8_t *sig_r;
    size_t sig_r_len;
    uint8_t *sig_s;
    size_t sig_s_len;
};

/* libcrypto's. */
void *EVP_PKEY_new_raw_private_key(int type, void *engine, const uint8_t *key, size_t length);
int EVP_PKEY_get_raw_public_key(const void *key, uint8_t *to, size_t *length);
void EVP_PKEY_free(void *key);
void *EVP_MD_CTX_new(void);
void EVP_MD_CTX_free(void *context);
int EVP_DigestSignInit(void *context, void **key_context, const void *type, void *engine, void *key);
int EVP_DigestSign(void *context, uint8_t *signature, size_t *length, const uint8_t *data, size_t data_length);
uint8_t *SHA256(const uint8_t *data, size_t length, uint8_t *to);
int RAND_bytes(uint8_t *to, int length);

#define EVP_PKEY_ED25519 1087

static uint8_t *copied(const uint8_t *from, size_t length) {
    uint8_t *to = malloc(length);
    if (to != NULL) {
        memcpy(to, from, length);
    }
    return to;
}

static void state(char *to, size_t size) {
    FILE *file = fopen(STATE, "r");
    size_t got = file == NULL ? 0 : fread(to, 1, size - 1, file);
    to[got] = '\0';
    to[strcspn(to, "\n")] = '\0';
    if (file != NULL) {
        fclose(file);
    }
}

static uint32_t counted(void) {
    unsigned count = 0;
    FILE *file = fopen(STATE ".count", "r");
    if (file != NULL) {
        if (fscanf(file, "%u", &count) != 1) {
            count = 0;
        }
        fclose(file);
    }
    count += 1;
    file = fopen(STATE ".count", "w");
    if (file != NULL) {
        fprintf(file, "%u", count);
        fclose(file);
    }
    return count;
}

uint32_t sk_api_version(void) {
    return 0x000a0000;
}

int sk_enroll(uint32_t alg, const uint8_t *challenge, size_t challenge_len, const char *application, uint8_t flags,
              const char *pin, void **options, struct sk_enroll_response **response) {
    uint8_t seed[SEED], public_key[SEED];
    size_t length = sizeof public_key;
    (void)challenge, (void)challenge_len, (void)application, (void)pin, (void)options;
    if (alg != ED25519) {
        return UNSUPPORTED;
    }
    if (RAND_bytes(seed, SEED) != 1) {
        return GENERAL;
    }
    void *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, SEED);
    struct sk_enroll_response *made = calloc(1, sizeof *made);
    if (key == NULL || made == NULL || EVP_PKEY_get_raw_public_key(key, public_key, &length) != 1) {
        return GENERAL;
    }
    EVP_PKEY_free(key);
    made->flags = flags;
    made->public_key = copied(public_key, SEED);
    made->public_key_len = SEED;
    made->key_handle = copied(seed, SEED);
    made->key_handle_len = SEED;
    *response = made;
    return 0;
}

int sk_sign(uint32_t alg, const uint8_t *data, size_t data_len, const char *application, const uint8_t *key_handle,
            size_t key_handle_len, uint8_t flags, const char *pin, void **options, struct sk_sign_response **response) {
    char now[32];
    uint8_t signed_data[32 + 1 + 4 + 32], signature[SIGNATURE];
    size_t length = sizeof signature;
    const struct timespec moment = {0, 10 * 1000 * 1000};
    (void)pin, (void)options, (void)flags;
    if (alg != ED25519 || key_handle_len != SEED) {
        return UNSUPPORTED;
    }
    FILE *asked = fopen(STATE ".asked", "w");
    if (asked != NULL) {
        fclose(asked);
    }
    for (state(now, sizeof now); strcmp(now, "wait") == 0; state(now, sizeof now)) {
        nanosleep(&moment, NULL);
    }
    if (strcmp(now, "gone") == 0) {
        return NOT_FOUND;
    }
    if (strcmp(now, "pin") == 0) {
        return PIN_REQUIRED;
    }
    struct sk_sign_response *made = calloc(1, sizeof *made);
    void *context = EVP_MD_CTX_new();
    void *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, key_handle, SEED);
    if (made == NULL || context == NULL || key == NULL) {
        return GENERAL;
    }
    made->flags = strcmp(now, "untouched") == 0 ? 0 : 1;
    made->counter = counted();
    SHA256((const uint8_t *)application, strlen(application), signed_data);
    signed_data[32] = made->flags;
    for (int at = 0; at < 4; at += 1) {
        signed_data[33 + at] = (uint8_t)(made->counter >> (24 - 8 * at));
    }
    SHA256(data, data_len, signed_data + 37);
    if (EVP_DigestSignInit(context, NULL, NULL, NULL, key) != 1 ||
        EVP_DigestSign(context, signature, &length, signed_data, sizeof signed_data) != 1) {
        return GENERAL;
    }
    EVP_MD_CTX_free(context);
    EVP_PKEY_free(key);
    made->sig_r = copied(signature, SIGNATURE);
    made->sig_r_len = SIGNATURE;
    *response = made;
    return 0;
}

int sk_load_resident_keys(const char *pin, void **options, void ***keys, size_t *count) {
    (void)pin, (void)options, (void)keys, (void)count;
    return UNSUPPORTED;
}
