# doubletap as one static binary in a small image with a shell (GitLab's jobs need one), for a user without rights.
FROM rust:1.95-alpine3.22 AS build
SHELL ["/bin/ash", "-o", "pipefail", "-c"]
RUN apk add --no-cache musl-dev=~1.2
WORKDIR /src
COPY . .
# musl's target links statically by itself; a binary that needs libraries is refused here
RUN cargo build --release --locked --bin doubletap
RUN if ldd target/release/doubletap 2>/dev/null | grep '=>'; then echo "not static" >&2; exit 1; fi

FROM alpine:3.22
COPY --from=build /src/target/release/doubletap /usr/local/bin/doubletap
RUN adduser -D -u 10001 doubletap
USER 10001
WORKDIR /work
ENTRYPOINT ["doubletap"]
CMD ["--help"]
