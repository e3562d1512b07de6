// A server and a client of mcp-go: the peer of the benchmark and of the lab's interoperability run.
//
//	mcp-go server bench|interop stdio
//	mcp-go server bench|interop http <port>
//	mcp-go client <2025|2026> stdio <command> [arguments]
//	mcp-go client <2025|2026> http <url>
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	args := os.Args[1:]
	if len(args) < 3 {
		log.Fatal("usage: mcp-go server|client …")
	}
	if args[0] == "client" {
		runClient(args[1], args[2], args[3:])
		return
	}
	served := newServer(args[1] == "interop")
	if args[2] == "stdio" {
		if err := server.ServeStdio(served); err != nil {
			log.Fatal(err)
		}
		return
	}
	// One handler serves sessions and 2026-07-28. A reply is an event stream only if something came before it.
	log.Fatal(server.NewStreamableHTTPServer(served, server.WithStateful(true)).Start("127.0.0.1:" + args[3]))
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

func newServer(interop bool) *server.MCPServer {
	options := []server.ServerOption{server.WithToolCapabilities(true), server.WithInputSchemaValidation()}
	if interop {
		options = append(options, server.WithResourceCapabilities(true, true), server.WithPromptCapabilities(true), server.WithElicitation())
	}
	served := server.NewMCPServer("mcp-go", "1.0.0", options...)
	number := func(name string) mcp.ToolOption { return mcp.WithNumber(name, mcp.Required()) }
	add := mcp.NewTool("add", mcp.WithDescription("Add two numbers"), number("a"), number("b"), mcp.WithOutputSchema[sum]())
	served.AddTool(add, mcp.NewTypedToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in addArguments) (*mcp.CallToolResult, error) {
		total := in.A + in.B
		return mcp.NewToolResultStructured(sum{total}, fmt.Sprintf("%.0f", total)), nil
	}))
	echo := mcp.NewTool("echo", mcp.WithDescription("Return the text that was sent"), mcp.WithString("text", mcp.Required()))
	served.AddTool(echo, mcp.NewTypedToolHandler(func(_ context.Context, _ mcp.CallToolRequest, in echoArguments) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(in.Text), nil
	}))
	if interop {
		served.EnableSampling()
		addInterop(served)
	}
	return served
}
