// A server and a client of the official Go SDK: the peer of the benchmark and of the lab's interoperability run.
//
//	go-official server bench|interop stdio
//	go-official server bench|interop http <port> json|sse <2025|2026>
//	go-official client <2025|2026> stdio <command> [arguments]
//	go-official client <2025|2026> http <url>
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	args := os.Args[1:]
	if len(args) < 3 {
		log.Fatal("usage: go-official server|client …")
	}
	if args[0] == "client" {
		runClient(args[1], args[2], args[3:])
		return
	}
	server := newServer(args[1] == "interop")
	if args[2] == "stdio" {
		if err := server.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			log.Fatal(err)
		}
		return
	}
	port, response, family := args[3], args[4], args[5]
	// One handler serves either sessions or 2026-07-28.
	options := &mcp.StreamableHTTPOptions{Stateless: family == "2026", JSONResponse: response == "json", PropagateRequestCancellation: true}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, options)
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, mux))
}

type sum struct {
	Sum float64 `json:"sum"`
}

type addArguments struct {
	A float64 `json:"a"`
	B float64 `json:"b"`
}

type echoArguments struct {
	Text string `json:"text"`
}

func text(value string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: value}}}
}

func newServer(interop bool) *mcp.Server {
	options := &mcp.ServerOptions{
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
	}
	if !interop {
		options = nil
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "go-official", Version: "1.0.0"}, options)
	add := &mcp.Tool{Name: "add", Description: "Add two numbers"}
	mcp.AddTool(server, add, func(_ context.Context, _ *mcp.CallToolRequest, in addArguments) (*mcp.CallToolResult, sum, error) {
		total := in.A + in.B
		return text(fmt.Sprintf("%.0f", total)), sum{total}, nil
	})
	echo := &mcp.Tool{Name: "echo", Description: "Return the text that was sent"}
	mcp.AddTool(server, echo, func(_ context.Context, _ *mcp.CallToolRequest, in echoArguments) (*mcp.CallToolResult, any, error) {
		return text(in.Text), nil, nil
	})
	if interop {
		addInterop(server)
	}
	return server
}
